import { readFileSync, statSync } from 'node:fs'
import { errnoOf } from '../system/errno.ts'

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
export const lookAtFile = (
  path: string,
): { readonly bytes: Buffer; readonly mtimeMs: number } | StaleReason => {
  try {
    const stats = statSync(path)
    if (stats.isDirectory()) return 'directory'
    // Reading a pipe or a device may never end.
    if (!stats.isFile()) return 'unreadable'
    if (stats.size > 64 << 20) return 'too large'
    return { bytes: readFileSync(path), mtimeMs: stats.mtimeMs }
  } catch (error) {
    const code = errnoOf(error)
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'deleted' : 'unreadable'
  }
}
