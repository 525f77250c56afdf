import { readFile, stat } from 'node:fs/promises'

/** Why a kept read goes, or the file that it shows cannot be looked at. */
export type StaleReason =
  | 'changed'
  | 'deleted'
  | 'directory'
  | 'binary'
  | 'unreadable'
  | 'empty'
  | 'shorter than the offset'
  | 'too large'
  | 'changed, and its form is unknown'

/** A file that a kept read shows, as it is now. */
export const lookAtFile = async (
  path: string,
): Promise<{ readonly bytes: Buffer; readonly mtimeMs: number } | StaleReason> => {
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) return 'directory'
    // Reading a pipe or a device may never end.
    if (!stats.isFile()) return 'unreadable'
    if (stats.size > 64 << 20) return 'too large'
    return { bytes: await readFile(path), mtimeMs: stats.mtimeMs }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'deleted' : 'unreadable'
  }
}
