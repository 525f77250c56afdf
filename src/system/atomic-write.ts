import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a whole file: after a kill or a power loss it holds the old text or the new one, never a part. */
export const atomicWrite = async (file: string, text: string): Promise<void> => {
  const temporary = `${file}.${randomUUID().slice(0, 8)}.tmp`
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
}

/** Makes a rename or a new file in this folder last; a system that cannot open folders (Windows) does it by itself. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined)
  if (handle === undefined) return
  await handle.sync().catch(() => undefined)
  await handle.close()
}
