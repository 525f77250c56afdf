import { rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'
import {
  isRunning,
  lockText,
  processEntries,
  readLockText,
  takeLockFile,
  thisProcess,
} from '../system/lock-file.ts'

const HolderSchema = v.object(processEntries)

/** The lock of a session file, beside it: a name that no CLI takes for a session. */
export const lockOf = (file: string): string => join(dirname(file), `.${basename(file)}.yoke-lock`)

/**
 * Keeps a second yoke from trimming the same session (anthropics/claude-code#39151 shows what two writers do). Returns how to
 * give it back, or the pid of the yoke that holds it; a lock of a dead process is taken over.
 */
export const lockSession = async (file: string): Promise<(() => void) | number> => {
  const lock = lockOf(file)
  const holder = await takeLockFile(lock, lockText(thisProcess()), {
    parse: (text) => readLockText(HolderSchema, text, lock),
    isAlive: isRunning,
  })
  return holder === undefined ? () => rmSync(lock, { force: true }) : holder.pid
}
