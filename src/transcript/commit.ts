import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../system/atomic-write.ts'

/** The steps of a commit, in order; a test ends the process at each of them. */
export type CommitStep = 'temporary written' | 'backup written' | 'checked' | 'renamed' | 'done'

/** What tells that a file is still the one that was read. */
export type Identity = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'>

const isSame = (a: Identity, b: Identity) =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs

export type Commit = {
  /** Absolute, with symbolic links resolved. */
  readonly file: string
  readonly backup: string
  readonly bytes: Buffer
  /** Of the file when it was read. */
  readonly source: Stats
  /** False when a writer has come in the meantime. */
  readonly mayWrite: () => Promise<boolean>
  readonly onStep?: (step: CommitStep) => void
}

/**
 * Replaces the file: at every moment, and after a power loss, it is the old one or the new one, whole. The old one stays as
 * the backup. Returns false, with nothing changed, when the file is no longer the one that was read.
 */
export const commit = async ({ file, backup, bytes, source, mayWrite, onStep }: Commit): Promise<boolean> => {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID().slice(0, 8)}.tmp`)
  try {
    await writeLike(temporary, bytes, source)
    onStep?.('temporary written')
    await keepCopy(file, backup)
    onStep?.('backup written')
    if (!(await isUnchanged(file, source)) || !(await mayWrite())) return false
    onStep?.('checked')
    await rename(temporary, file)
    onStep?.('renamed')
    await syncFolder(dirname(file))
    onStep?.('done')
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}

const isUnchanged = async (file: string, source: Identity): Promise<boolean> => {
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return false
  try {
    return isSame(await handle.stat(), source)
  } finally {
    await handle.close()
  }
}

/** Writes a new file with the mode and owner of the source, down to the disk. */
const writeLike = async (path: string, bytes: Buffer, source: Stats): Promise<void> => {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    if (process.platform !== 'win32') {
      const made = await handle.stat()
      if (made.uid !== source.uid || made.gid !== source.gid) await handle.chown(source.uid, source.gid)
      await handle.chmod(source.mode & 0o7777)
    }
    await handle.sync()
    if ((await handle.stat()).size !== bytes.length) throw new Error('the disk did not take the whole file')
  } finally {
    await handle.close()
  }
}

/**
 * The file as it is now, whole, at `backup`. A copy, no link: until the rename a link would be the session itself, and grow
 * or be damaged with it. Copy-on-write file systems copy nothing.
 */
const keepCopy = async (file: string, backup: string): Promise<void> => {
  await mkdir(dirname(backup), { recursive: true })
  await replaceWhole(backup, file)
}

/** Makes `target` a copy of `source`: at every moment it is what it was, or the whole copy. */
export const replaceWhole = async (target: string, source: string): Promise<void> => {
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID().slice(0, 8)}.tmp`)
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
