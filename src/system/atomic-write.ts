import { randomUUID } from 'node:crypto'
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a whole file: after a kill or a power loss it holds the old text or the new one, never a part. */
export const atomicWrite = async (file: string, text: string): Promise<void> => {
  await replace(file, text, {})
}

/**
 * Changes a file that others may write to at the same time: what they wrote until just before the change is changed, not
 * lost. Mode and symbolic links stay. Nothing is written when nothing is to be changed, or when there is no file.
 */
export const atomicUpdate = async (file: string, change: (bytes: Buffer) => Buffer): Promise<void> => {
  const path = await realpath(file).catch(() => undefined)
  if (path === undefined) return
  for (;;) {
    const before = await readFile(path)
    const after = change(before)
    if (after.equals(before)) return
    const { mode } = await stat(path)
    const isStill = async () => (await readFile(path).catch(() => undefined))?.equals(before) === true
    if (await replace(path, after, { mode, onlyIf: isStill })) return
  }
}

type Replacement = { readonly mode?: number; readonly onlyIf?: () => Promise<boolean> }

const replace = async (
  file: string,
  content: string | Buffer,
  { mode, onlyIf }: Replacement,
): Promise<boolean> => {
  const temporary = `${file}.${randomUUID().slice(0, 8)}.tmp`
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(content)
      if (mode !== undefined) await handle.chmod(mode & 0o7777)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (onlyIf !== undefined && !(await onlyIf())) {
      await rm(temporary, { force: true })
      return false
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
  return true
}

/** Makes a rename or a new file in this folder last; a system that cannot open folders (Windows) does it by itself. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined)
  if (handle === undefined) return
  await handle.sync().catch(() => undefined)
  await handle.close()
}
