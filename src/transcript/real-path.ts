import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The path with its symbolic links resolved, as far as it exists; the rest is taken as it stands. */
export const realPathOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}
