import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { exitCode, YokeError } from '../errors.ts'
import { processStart } from '../system/process-start.ts'

const HolderSchema = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Tells a reused pid from the holder; empty where the system does not say. */
  start: v.string(),
  host: v.string(),
  run: v.string(),
  since: v.string(),
})

export type Holder = v.InferOutput<typeof HolderSchema>

/**
 * Takes the project for this process; the returned function gives it back. A lock whose holder is dead, by pid and start
 * time, is taken over (§5.4). Throws E_LOCKED with the holder's pid, exit code 6.
 */
export const takeLock = async (file: string, run: string, now: Date): Promise<() => Promise<void>> => {
  const mine: Holder = {
    pid: process.pid,
    start: processStart(process.pid) ?? '',
    host: hostname(),
    run,
    since: now.toISOString(),
  }
  const temporary = `${file}.${randomUUID().slice(0, 8)}.new`
  await writeFile(temporary, `${JSON.stringify(mine)}\n`)
  try {
    await claim(file, temporary, (holder) => Promise.reject(locked(file, holder)))
  } finally {
    await rm(temporary, { force: true })
  }
  return async () => {
    if (sameHolder(await readHolder(file), mine)) await rm(file, { force: true })
  }
}

/** Who holds the project, dead or alive; undefined when nobody does. */
export const readHolder = async (file: string): Promise<Holder | undefined> => {
  const text = await readText(file)
  return text === undefined ? undefined : parseHolder(text)
}

/** A holder on another host cannot be asked, so it counts as alive. */
export const isAlive = (holder: Holder): boolean => {
  if (holder.host !== hostname()) return true
  const start = processStart(holder.pid)
  return start !== undefined && (start === '' || holder.start === '' || start === holder.start)
}

/** A link, unlike a create and a write, never shows a lock without its content. */
const linked = async (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (error) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

/**
 * Makes `path` a link to `mine`, once nobody alive holds it. Only the one that holds the token of a dead holder, a lock of
 * its own that is named by what the dead one wrote, may replace it: so two that find the same dead lock cannot both
 * take it, nor can one take the lock of the other for the dead one.
 */
const claim = async (
  path: string,
  mine: string,
  onAlive: (holder: Holder) => Promise<void>,
): Promise<void> => {
  while (!(await linked(mine, path))) {
    const text = await readText(path)
    const holder = text === undefined ? undefined : parseHolder(text)
    if (holder !== undefined && isAlive(holder)) await onAlive(holder)
    else if (text !== undefined && (await replaceDead(path, text, mine))) return
  }
}

const replaceDead = async (path: string, dead: string, mine: string): Promise<boolean> => {
  const token = `${path}.${createHash('sha256').update(dead).digest('hex').slice(0, 8)}`
  await claim(token, mine, () => sleep(5))
  try {
    if ((await readText(path)) !== dead) return false
    const fresh = `${mine}.${randomUUID().slice(0, 8)}`
    await link(mine, fresh)
    await rename(fresh, path)
    return true
  } finally {
    await rm(token, { force: true })
  }
}

const readText = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined)

const parseHolder = (text: string): Holder | undefined => {
  try {
    const parsed = v.safeParse(HolderSchema, JSON.parse(text))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

const sameHolder = (a: Holder | undefined, b: Holder): boolean =>
  a !== undefined && a.pid === b.pid && a.start === b.start && a.host === b.host

const locked = (file: string, holder: Holder): YokeError => {
  const elsewhere = holder.host !== hostname()
  return new YokeError(
    'E_LOCKED',
    `Another yoke holds this project: process ${holder.pid}${elsewhere ? ` on ${holder.host}` : ''}, run ${holder.run}, since ${holder.since}.`,
    elsewhere
      ? `If no yoke runs there any more, remove ${file}.`
      : 'Wait for it, look at it with `yoke status`, or end it with `yoke stop`.',
    exitCode.locked,
  )
}
