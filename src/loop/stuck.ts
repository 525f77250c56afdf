import type { CheckFailure, Trace } from './state.ts'

/** A reason to stop because `k` iterations in a row came to the same, or undefined (§3.6). */
export const stuckReason = (
  history: readonly Trace[],
  k: number,
): { result: 'agent-failing' | 'blocked'; reason: string } | undefined => {
  if (history.length < k) return undefined
  const last = history.slice(-k)
  const [first] = last
  const same = (key: 'failure' | 'checks' | 'objection') =>
    first?.[key] !== undefined && last.every((trace) => trace[key] === first[key])
  if (same('failure'))
    return { result: 'agent-failing', reason: `The agent ended in "${first?.failure}" ${k} times in a row.` }
  if (same('checks'))
    return { result: 'agent-failing', reason: `The same checks failed in the same way ${k} times in a row.` }
  if (same('objection'))
    return { result: 'blocked', reason: `The judge made the same objection ${k} times in a row.` }
  if (last.every(({ changed }) => !changed))
    return {
      result: 'agent-failing',
      reason: `Neither the files, the commits nor the notes changed in ${k} iterations.`,
    }
  return undefined
}

/** Equal for outputs that differ only in how long something took or where it lay in memory. */
export const digestOfChecks = (failures: readonly CheckFailure[]): string =>
  failures.map(({ command, exit, output }) => `${command}\n${exit}\n${steady(output)}`).join('\n')

/** Equal for objections that differ only in case, order or white space. */
export const digestOfObjection = (reasons: readonly string[]): string =>
  reasons
    .map((reason) => reason.toLowerCase().replace(/\s+/g, ' ').trim())
    .sort()
    .join('\n')

const steady = (output: string): string =>
  output
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\dZ+:]*/g, '<time>')
    .replace(/\b\d+(?:\.\d+)?\s?(?:ms|s|µs|us|ns|seconds?|milliseconds?)\b/g, '<duration>')
    .replace(/\b0x[0-9a-f]+\b/gi, '<address>')
