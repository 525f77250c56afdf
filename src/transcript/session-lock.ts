import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'
import { isRunning, type ProcessName, takeLockFile, thisProcess } from '../system/lock-file.ts'

const HolderSchema = v.object({ pid: v.pipe(v.number(), v.integer(), v.minValue(1)), start: v.string() })

/** The lock of a session file, beside it: a name that no CLI takes for a session. */
export const lockOf = (file: string): string => join(dirname(file), `.${basename(file)}.yoke-lock`)

/**
 * Keeps a second yoke from trimming the same session (anthropics/claude-code#39151 shows what two writers do). Returns how to
 * give it back, or the pid of the yoke that holds it; a lock of a dead process is taken over.
 */
export const lockSession = async (file: string): Promise<(() => Promise<void>) | number> => {
  const lock = lockOf(file)
  const mine = JSON.stringify(thisProcess())
  const holder = await takeLockFile(lock, mine, { parse: holderOf, isAlive: isRunning })
  return holder === undefined ? () => rm(lock, { force: true }) : holder.pid
}

const holderOf = (text: string): ProcessName | undefined => {
  try {
    const parsed = v.safeParse(HolderSchema, JSON.parse(text))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}
