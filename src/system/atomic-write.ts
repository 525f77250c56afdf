import { randomUUID } from 'node:crypto'
import { closeSync, fdatasync, fsync, openSync, renameSync } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { readIfThere } from './read-if-there.ts'

/** Writes a whole file: after a kill or a power loss it holds the old text or the new one, never a part. */
export const atomicWrite = async (file: string, text: string, mode?: number): Promise<void> => {
  await replace(file, text, mode === undefined ? {} : { mode })
}

/**
 * Changes a file that others may write to at the same time: what they wrote until just before the change is changed, not
 * lost. Mode and symbolic links stay. Nothing is written when nothing is to be changed, or when there is no file.
 */
export const atomicUpdate = async (file: string, change: (bytes: Buffer) => Buffer): Promise<void> => {
  const path = await realpath(file).catch(() => undefined)
  if (path === undefined) return
  for (;;) {
    const before = readIfThere(path)
    const found = await stat(path).catch(() => undefined)
    if (before === undefined || found === undefined) return
    const after = change(before)
    if (after.equals(before)) return
    if (await replace(path, after, { mode: found.mode, over: before })) return
  }
}

type Replacement = {
  readonly mode?: number
  /** The file is replaced only if it still has this content. */
  readonly over?: Buffer
}

const replace = async (
  file: string,
  content: string | Buffer,
  { mode, over }: Replacement,
): Promise<boolean> => {
  const temporary = `${file}.${randomUUID().slice(0, 8)}.tmp`
  try {
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.writeFile(content)
      if (mode !== undefined) await handle.chmod(mode & 0o7777)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (over === undefined) await rename(temporary, file)
    else if (readIfThere(file)?.equals(over))
      // Nothing of this process comes between, and of others next to nothing.
      renameSync(temporary, file)
    else {
      await rm(temporary, { force: true })
      return false
    }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
  return true
}

/** Makes a rename or a new file in this folder last; a system that cannot open folders (Windows) does it by itself. */
export const syncFolder = async (folder: string): Promise<void> => {
  let descriptor: number
  try {
    descriptor = openSync(folder, 'r')
  } catch {
    return
  }
  await sync(descriptor).catch(() => undefined)
  closeSync(descriptor)
}

/** Makes what was written to an open file last: the one step that a disk may take long for. */
export const sync = promisify(fsync)

/** The same without its times. */
export const syncData = promisify(fdatasync)
