import type { RunEvent } from '../events.ts'
import { formatCount, formatMany } from './format.ts'

/** What the trims of a run took out of the context, in a sentence; sizes are yoke's estimates of request tokens. */
export const trimSavings = (events: readonly RunEvent[]): string => {
  const trims = events.filter((event) => event.type === 'trim.applied')
  const isSpared = events.some((event) => event.type === 'trim.skipped' && event.tokensAfter !== undefined)
  if (trims.length === 0)
    return `Nothing was trimmed in this run.${isSpared ? ' Each trim would have cost more than it saves.' : ''}`
  const before = trims.reduce((sum, trim) => sum + trim.tokensBefore, 0)
  const after = trims.reduce((sum, trim) => sum + trim.tokensAfter, 0)
  const share = before === 0 ? 0 : Math.round((100 * (before - after)) / before)
  return `${formatMany(trims.length, 'trim')} took ${formatCount(before - after)} of ${formatCount(before)} tokens (${share}%, by yoke's estimate) out of what the session carried on.`
}
