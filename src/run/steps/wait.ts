import { setTimeout as sleep } from 'node:timers/promises'
import type { RunContext } from '../context.ts'

/** Long sleeps are cut up, so that a machine that was suspended wakes up to the right time. */
const longestSleepMs = 30_000

/** Waits until a moment, or until the first signal. */
export const wait = async (context: RunContext, until: number): Promise<void> => {
  const began = context.now()
  for (let left = until - began; left > 0 && !context.stop.aborted; left = until - context.now())
    await sleep(Math.min(left, longestSleepMs), undefined, { signal: context.stop }).catch(() => undefined)
  if (!context.stop.aborted) context.record({ type: 'wait.finished', waitedMs: context.now() - began })
}
