import { createHash, randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { errnoOf } from './errno.ts'
import { fileFormat, readableFormat } from './file-format.ts'
import { processStart } from './process-start.ts'
import { readIfThere } from './read-if-there.ts'

/** A process, for good: pids are reused. `start` is empty where the system does not say. */
export type ProcessName = { readonly pid: number; readonly start: string }

/** What a lock holds of a process. */
export const processEntries = {
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Tells a reused pid from the holder; empty where the system does not say. */
  start: v.string(),
}

/** The text of a lock. */
export const lockText = (holder: ProcessName): string =>
  `${JSON.stringify({ format: fileFormat, ...holder })}\n`

/**
 * Who holds a lock, by its text; undefined for what is no lock. Throws E_NEWER_FORMAT: what a newer yoke holds must not look
 * as if nobody did.
 */
export const readLockText = <Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  file: string,
): v.InferOutput<Schema> | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  readableFormat(value, file)
  const parsed = v.safeParse(schema, value)
  return parsed.success ? parsed.output : undefined
}

export const thisProcess = (): ProcessName => ({ pid: process.pid, start: processStart(process.pid) ?? '' })

/** Whether the process runs on this host. */
export const isRunning = ({ pid, start }: ProcessName): boolean => {
  const now = processStart(pid)
  return now !== undefined && (now === '' || start === '' || now === start)
}

/** How the content of a lock is read. */
export type LockContent<Holder> = {
  /** Undefined when the text names no holder. */
  readonly parse: (text: string) => Holder | undefined
  readonly isAlive: (holder: Holder) => boolean
}

/**
 * Takes a lock file for the holder that `mine` names; a lock of a dead holder is taken over. Returns the one that is alive and
 * holds it, undefined when the lock is taken.
 */
export const takeLockFile = async <Holder>(
  file: string,
  mine: string,
  content: LockContent<Holder>,
): Promise<Holder | undefined> => {
  const own = `${file}.${randomUUID().slice(0, 8)}.new`
  writeFileSync(own, mine, { flag: 'wx' })
  try {
    return await claim(file, own, content)
  } finally {
    rmSync(own, { force: true })
  }
}

/** Undefined when there is no such file, or none that may be read. */
export const readLockFile = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A link, unlike a create and a write, never shows a lock without its content. */
const linked = (from: string, to: string): boolean => {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Makes `path` a link to `mine`, once nobody alive holds it. Only the one that holds the token of a dead holder, a lock of
 * its own that is named by what the dead one wrote, may replace it: so two that find the same dead lock cannot both
 * take it, nor can one take the lock of the other for the dead one.
 */
const claim = async <Holder>(
  path: string,
  mine: string,
  content: LockContent<Holder>,
): Promise<Holder | undefined> => {
  while (!linked(mine, path)) {
    const text = readIfThere(path)?.toString('utf8')
    if (text === undefined) continue
    const holder = content.parse(text)
    if (holder !== undefined && content.isAlive(holder)) return holder
    if (await replaceDead(path, text, mine, content)) return undefined
  }
  return undefined
}

const replaceDead = async <Holder>(
  path: string,
  dead: string,
  mine: string,
  content: LockContent<Holder>,
): Promise<boolean> => {
  const token = `${path}.${createHash('sha256').update(dead).digest('hex').slice(0, 8)}`
  while ((await claim(token, mine, content)) !== undefined) await sleep(5)
  try {
    if (readLockFile(path) !== dead) return false
    const fresh = `${mine}.${randomUUID().slice(0, 8)}`
    linkSync(mine, fresh)
    renameSync(fresh, path)
    return true
  } finally {
    rmSync(token, { force: true })
  }
}
