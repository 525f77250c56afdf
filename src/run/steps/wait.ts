import { setTimeout as sleep } from 'node:timers/promises'
import type { RunContext } from '../context.ts'

/** Long sleeps are cut up, so that a machine that was suspended wakes up to the right time. */
const longestSleepMs = 30_000

const minuteMs = 60_000

/** Waits until a moment, or until the first signal, and says once a minute how long it still takes. */
export const wait = async (context: RunContext, until: number): Promise<void> => {
  const { now, stop, show, record } = context
  const began = now()
  let told = began
  for (let left = until - began; left > 0 && !stop.aborted; left = until - now()) {
    await sleep(Math.min(left, longestSleepMs), undefined, { signal: stop }).catch(() => undefined)
    if (stop.aborted || until <= now() || now() - told < minuteMs) continue
    told = now()
    show({ type: 'wait.left', until, leftMs: until - told })
  }
  if (!stop.aborted) record({ type: 'wait.finished', waitedMs: now() - began })
}
