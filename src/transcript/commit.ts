import { randomUUID } from 'node:crypto'
import {
  close,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sync, syncFolder } from '../system/atomic-write.ts'

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
  readonly mayWrite: () => boolean
  readonly onStep?: ((step: CommitStep) => void) | undefined
}

/**
 * Replaces the file: at every moment, and after a power loss, it is the old one or the new one, whole. The old one stays as
 * the backup. Returns false, with the old file in its place, when it is no longer the one that was read. All but what the disk
 * may take long for is done synchronously: for each of these steps the way through the thread pool takes longer.
 */
export const commit = async ({ file, backup, bytes, source, mayWrite, onStep }: Commit): Promise<boolean> => {
  const temporary = temporaryOf(file)
  // To free a large old backup takes a system milliseconds: it does so when the last handle is closed, which nobody waits for.
  const old = openIfThere(backup)
  try {
    await writeLike(temporary, bytes, source)
    onStep?.('temporary written')
    await keepOld(file, backup)
    onStep?.('backup written')
    if (!isSame(statSync(file), source) || !mayWrite()) return false
    onStep?.('checked')
    renameSync(temporary, file)
    onStep?.('renamed')
    await syncFolder(dirname(file))
    if (!isWhole(backup, source)) {
      // A writer came between the last look and the rename: what it wrote is in the backup only.
      await replaceWhole(file, backup)
      return false
    }
    onStep?.('done')
    return true
  } finally {
    if (old !== undefined) close(old, () => undefined)
    rmSync(temporary, { force: true })
  }
}

const openIfThere = (path: string): number | undefined => {
  try {
    return openSync(path, 'r')
  } catch {
    return undefined
  }
}

/** Removes what a trim that was killed has left beside the file. The caller holds the lock. */
export const removeLeftovers = (file: string): void => {
  const folder = dirname(file)
  for (const name of readdirSync(folder))
    if (name.startsWith(`.${basename(file)}.`) && name.endsWith('.tmp'))
      rmSync(join(folder, name), { force: true })
}

const temporaryOf = (path: string) =>
  join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`)

const isSame = (a: Identity, b: Identity) =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs

/** A backup that is a link to the old file shows what was written to that to the last. */
const isWhole = (backup: string, { size }: Stats): boolean => statSync(backup).size === size

/** Writes a new file with the mode and owner of the source, down to the disk. */
const writeLike = async (path: string, bytes: Buffer, source: Stats): Promise<void> => {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(descriptor, bytes)
    if (process.platform !== 'win32') {
      const made = fstatSync(descriptor)
      if (made.uid !== source.uid || made.gid !== source.gid) fchownSync(descriptor, source.uid, source.gid)
      if ((made.mode & 0o7777) !== (source.mode & 0o7777)) fchmodSync(descriptor, source.mode & 0o7777)
    }
    await sync(descriptor)
    if (fstatSync(descriptor).size !== bytes.length) throw new Error('the disk did not take the whole file')
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The file as it is now, whole, at `backup`: a link where both are on one file system, which costs nothing however large the
 * file is, else a copy. The rename leaves the linked one behind as it was.
 */
const keepOld = async (file: string, backup: string): Promise<void> => {
  mkdirSync(dirname(backup), { recursive: true })
  const temporary = temporaryOf(backup)
  try {
    if (isLinked(file, temporary)) {
      // Of two links to one file a rename does nothing: the old backup must go first when it is such a link (a trim that was cut off).
      if (areOne(temporary, backup)) return
      renameSync(temporary, backup)
      await syncFolder(dirname(backup))
    } else await replaceWhole(backup, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

const isLinked = (file: string, path: string): boolean => {
  try {
    linkSync(file, path)
    return true
  } catch {
    return false
  }
}

const areOne = (a: string, b: string): boolean => {
  const first = statSync(a)
  const second = statSync(b, { throwIfNoEntry: false })
  return second !== undefined && first.dev === second.dev && first.ino === second.ino
}

/** Makes `target` a copy of `source`: at every moment it is what it was, or the whole copy. */
export const replaceWhole = async (target: string, source: string): Promise<void> => {
  const temporary = temporaryOf(target)
  try {
    await copyFile(source, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    const descriptor = openSync(temporary, 'r+')
    await sync(descriptor).finally(() => closeSync(descriptor))
    renameSync(temporary, target)
  } finally {
    rmSync(temporary, { force: true })
  }
  await syncFolder(dirname(target))
}

/** Writes a file that must not be there yet. */
export const writeNew = async (path: string, bytes: Buffer): Promise<void> => {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(descriptor, bytes)
    await sync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  await syncFolder(dirname(path))
}
