import { readFileSync } from 'node:fs'
import { errnoOf } from './errno.ts'

/** Undefined when there is no such file; throws when there is one that cannot be read. */
export const readIfThere = (file: string): Buffer | undefined => {
  try {
    return readFileSync(file)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}
