import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../system/atomic-write.ts'

/** The steps of a commit, in order; a test ends the process at each of them. */
export type CommitStep = 'locked' | 'temporary written' | 'backup written' | 'checked' | 'renamed' | 'done'

type Identity = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'>

export type Commit = {
  /** Absolute, with symbolic links resolved. */
  readonly file: string
  readonly backup: string
  readonly bytes: Buffer
  /** Of the file when it was read; what was read is on the disk. */
  readonly source: Stats
  /** False when a writer has come in the meantime. */
  readonly mayWrite: () => Promise<boolean>
  readonly onStep?: ((step: CommitStep) => void) | undefined
}

/**
 * Replaces the file: at every moment, and after a power loss, it is the old one or the new one, whole. The old one stays as
 * the backup. Returns false, with the old file in its place, when it is no longer the one that was read.
 */
export const commit = async ({ file, backup, bytes, source, mayWrite, onStep }: Commit): Promise<boolean> => {
  const temporary = temporaryOf(file)
  // To free a large old backup takes a system milliseconds: it does so when the last handle is closed, which nobody waits for.
  const old = await open(backup, 'r').catch(() => undefined)
  try {
    await writeLike(temporary, bytes, source)
    onStep?.('temporary written')
    await keepOld(file, backup)
    onStep?.('backup written')
    if (!isSame(await stat(file), source) || !(await mayWrite())) return false
    onStep?.('checked')
    await rename(temporary, file)
    onStep?.('renamed')
    await syncFolder(dirname(file))
    if (!(await isWhole(backup, source))) {
      // A writer came between the last look and the rename: what it wrote is in the backup only.
      await replaceWhole(file, backup)
      return false
    }
    onStep?.('done')
    return true
  } finally {
    old?.close().catch(() => undefined)
    await rm(temporary, { force: true })
  }
}

/** Removes what a trim that was killed has left beside the file. The caller holds the lock. */
export const removeLeftovers = async (file: string): Promise<void> => {
  const folder = dirname(file)
  const names = await readdir(folder)
  const left = names.filter((name) => name.startsWith(`.${basename(file)}.`) && name.endsWith('.tmp'))
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })))
}

const temporaryOf = (path: string) =>
  join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`)

const isSame = (a: Identity, b: Identity) =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs

/** A backup that is a link to the old file shows what was written to that to the last. */
const isWhole = async (backup: string, { size }: Stats): Promise<boolean> =>
  (await stat(backup)).size === size

/** Writes a new file with the mode and owner of the source, down to the disk. */
const writeLike = async (path: string, bytes: Buffer, source: Stats): Promise<void> => {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    if (process.platform !== 'win32') {
      const made = await handle.stat()
      if (made.uid !== source.uid || made.gid !== source.gid) await handle.chown(source.uid, source.gid)
      if ((made.mode & 0o7777) !== (source.mode & 0o7777)) await handle.chmod(source.mode & 0o7777)
    }
    await handle.sync()
    if ((await handle.stat()).size !== bytes.length) throw new Error('the disk did not take the whole file')
  } finally {
    await handle.close()
  }
}

/**
 * The file as it is now, whole, at `backup`: a link where both are on one file system, which costs nothing however large the
 * file is, else a copy. The rename leaves the linked one behind as it was.
 */
const keepOld = async (file: string, backup: string): Promise<void> => {
  await mkdir(dirname(backup), { recursive: true })
  const temporary = temporaryOf(backup)
  try {
    const isLinked = await link(file, temporary).then(
      () => true,
      () => false,
    )
    if (isLinked) {
      // Of two links to one file a rename does nothing: the old backup must go first when it is such a link (a trim that was cut off).
      if (await areOne(temporary, backup)) return
      await rename(temporary, backup)
      await syncFolder(dirname(backup))
    } else await replaceWhole(backup, file)
  } finally {
    await rm(temporary, { force: true })
  }
}

const areOne = async (a: string, b: string): Promise<boolean> => {
  const [first, second] = await Promise.all([stat(a), stat(b).catch(() => undefined)])
  return second !== undefined && first.dev === second.dev && first.ino === second.ino
}

/** Makes `target` a copy of `source`: at every moment it is what it was, or the whole copy. */
export const replaceWhole = async (target: string, source: string): Promise<void> => {
  const temporary = temporaryOf(target)
  try {
    await copyFile(source, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    const handle = await open(temporary, 'r+')
    await handle.sync().finally(() => handle.close())
    await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(dirname(target))
}

/** Writes a file that must not be there yet. */
export const writeNew = async (path: string, bytes: Buffer): Promise<void> => {
  const handle = await open(path, 'wx', 0o600)
  await handle
    .writeFile(bytes)
    .then(() => handle.sync())
    .finally(() => handle.close())
  await syncFolder(dirname(path))
}
