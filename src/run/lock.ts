import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import * as v from 'valibot'
import { exitCode, YokeError } from '../errors.ts'
import {
  isRunning,
  lockText,
  processEntries,
  readLockFile,
  readLockText,
  takeLockFile,
  thisProcess,
} from '../system/lock-file.ts'

/** What locks call this machine, or this container. */
export const thisHost: string = hostname()

const HolderSchema = v.object({
  ...processEntries,
  host: v.string(),
  run: v.string(),
  since: v.string(),
})

export type Holder = v.InferOutput<typeof HolderSchema>

/**
 * Takes the project for this process; the returned function gives it back. A lock whose holder is dead, by pid and start
 * time, is taken over (§5.4). Throws E_LOCKED with the holder's pid, exit code 6, and E_NEWER_FORMAT.
 */
export const takeLock = async (file: string, run: string, now: Date): Promise<() => Promise<void>> => {
  const mine: Holder = { ...thisProcess(), host: thisHost, run, since: now.toISOString() }
  const holder = await takeLockFile(file, lockText(mine), {
    parse: (text) => readLockText(HolderSchema, text, file),
    isAlive,
  })
  if (holder !== undefined) throw locked(file, holder)
  return async () => {
    if (sameHolder(await readHolder(file), mine)) await rm(file, { force: true })
  }
}

/** Who holds the project, dead or alive; undefined when nobody does. */
export const readHolder = async (file: string): Promise<Holder | undefined> => {
  const text = readLockFile(file)
  return text === undefined ? undefined : readLockText(HolderSchema, text, file)
}

/** A holder on another host cannot be asked, so it counts as alive. */
export const isAlive = (holder: Holder): boolean => holder.host !== thisHost || isRunning(holder)

const sameHolder = (a: Holder | undefined, b: Holder): boolean =>
  a !== undefined && a.pid === b.pid && a.start === b.start && a.host === b.host

const locked = (file: string, holder: Holder): YokeError => {
  const elsewhere = holder.host !== thisHost
  return new YokeError(
    'E_LOCKED',
    `Another yoke holds this project: process ${holder.pid}${elsewhere ? ` on ${holder.host}` : ''}, run ${holder.run}, since ${holder.since}.`,
    elsewhere
      ? `If no yoke runs there any more, remove ${file}.`
      : 'Wait for it, look at it with `yoke status`, or end it with `yoke stop`.',
    exitCode.locked,
  )
}
