import type { CheckFailure, Trace } from './state.ts'

/** A reason to stop because `k` iterations in a row came to the same, with what was tried in them, or undefined (§3.6). */
export const stuckReason = (
  history: readonly Trace[],
  k: number,
): { result: 'agent-failing' | 'blocked'; reason: string } | undefined => {
  if (history.length < k) return undefined
  const last = history.slice(-k)
  const [first] = last
  const same = (key: 'failure' | 'checks' | 'objection' | 'unreadable') =>
    first?.[key] !== undefined && last.every((trace) => trace[key] === first[key])
  const stop = (result: 'agent-failing' | 'blocked', what: string) => ({
    result,
    reason: `${what} (${triedIn(last)}).${last.at(-1)?.said === undefined ? '' : ` Last: ${last.at(-1)?.said}`}`,
  })
  if (same('failure'))
    return stop('agent-failing', `The agent ended in "${first?.failure}" ${k} times in a row`)
  if (same('checks'))
    return stop('agent-failing', `The same checks failed in the same way ${k} times in a row`)
  if (same('objection')) return stop('blocked', `The judge made the same objection ${k} times in a row`)
  if (same('unreadable'))
    return stop('agent-failing', `The judge gave no readable verdict in ${k} iterations in a row`)
  if (last.every(({ changed }) => !changed))
    return stop('agent-failing', `Neither the files, the commits nor the notes changed in ${k} iterations`)
  return undefined
}

/** Which iterations, how many of them changed something, and in how many sessions. */
const triedIn = (traces: readonly Trace[]): string => {
  const changed = traces.filter((trace) => trace.changed).length
  const sessions = new Set(traces.map(({ session }) => session)).size
  return [
    `iterations ${traces[0]?.iteration} to ${traces.at(-1)?.iteration}`,
    `${changed === 0 ? 'none' : changed} of them with changes`,
    `in ${sessions === 1 ? 'one session' : `${sessions} sessions`}`,
  ].join(', ')
}

/** Failed checks in a sentence: each with the last line of its output. */
export const checksInShort = (failures: readonly CheckFailure[]): string =>
  failures
    .map(({ command, exit, output }) => {
      const line = output.trimEnd().split('\n').at(-1) ?? ''
      return `\`${command}\` (${exit === null ? 'ended by a signal' : `exit ${exit}`})${line === '' ? '' : `: ${line.slice(0, 200)}`}`
    })
    .join('; ')

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
