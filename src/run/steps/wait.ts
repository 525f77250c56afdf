import { setTimeout as sleep } from 'node:timers/promises'
import type { RunContext } from '../context.ts'
import { type Hearing, hearMessages, listen } from './listen.ts'

/** Sleeps are cut up, so that a machine that was suspended wakes up to the right time, and people are heard. */
const longestSleepMs = 1000

const minuteMs = 60_000

/** Waits until a moment, or until somebody stops or pauses the run, and says once a minute how long it still takes. */
export const wait = async (
  context: Hearing & Pick<RunContext, 'now' | 'stop' | 'show'>,
  until: number,
): Promise<void> => {
  const { now, stop, show, record, state } = context
  const isEnded = () => state().stopping !== undefined || state().pausedSince !== undefined
  const began = now()
  let told = began
  for (let left = until - began; left > 0 && !isEnded(); left = until - now()) {
    await sleep(Math.min(left, longestSleepMs), undefined, { signal: stop }).catch(() => undefined)
    await hearMessages(context)
    if (isEnded() || until <= now() || now() - told < minuteMs) continue
    told = now()
    show({ type: 'wait.left', until, leftMs: until - told })
  }
  if (isEnded()) return
  // The turn that is tried again is the next chance to tell the worker.
  await listen(context)
  record({ type: 'wait.finished', waitedMs: now() - began })
}
