import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'
import { processStart } from '../system/process-start.ts'

const HolderSchema = v.object({ pid: v.pipe(v.number(), v.integer(), v.minValue(1)), start: v.string() })
type Holder = v.InferOutput<typeof HolderSchema>

/** The lock of a session file, beside it: a name that no CLI takes for a session. */
export const lockOf = (file: string): string => join(dirname(file), `.${basename(file)}.yoke-lock`)

/**
 * Keeps a second yoke from trimming the same session (anthropics/claude-code#39151 shows what two writers do). Returns how to
 * give it back, or the pid of the yoke that holds it; a lock of a dead process is taken over.
 */
export const lockSession = async (file: string): Promise<(() => Promise<void>) | number> => {
  const lock = lockOf(file)
  const mine: Holder = { pid: process.pid, start: processStart(process.pid) ?? '' }
  const own = `${lock}.${randomUUID().slice(0, 8)}`
  // A link, unlike a create and a write, never shows a lock without its content.
  await writeFile(own, JSON.stringify(mine), { flag: 'wx', mode: 0o600 })
  try {
    for (;;) {
      if (await linked(own, lock)) return () => rm(lock, { force: true })
      const text = await readFile(lock, 'utf8').catch(() => undefined)
      if (text === undefined) continue
      const holder = holderOf(text)
      if (holder !== undefined && isAlive(holder)) return holder.pid
      await setAside(lock, text)
    }
  } finally {
    await rm(own, { force: true })
  }
}

const linked = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

/** Takes a dead lock away; one that somebody else has put there in the meantime is put back. */
const setAside = async (lock: string, dead: string): Promise<void> => {
  const aside = `${lock}.${randomUUID().slice(0, 8)}.dead`
  const moved = await rename(lock, aside).then(
    () => true,
    () => false,
  )
  if (!moved) return
  if ((await readFile(aside, 'utf8').catch(() => dead)) !== dead) await linked(aside, lock)
  await rm(aside, { force: true })
}

const holderOf = (text: string): Holder | undefined => {
  try {
    const parsed = v.safeParse(HolderSchema, JSON.parse(text))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

const isAlive = ({ pid, start }: Holder): boolean => {
  const now = processStart(pid)
  return now !== undefined && (now === '' || start === '' || now === start)
}
