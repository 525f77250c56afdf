import type { Colors } from 'picocolors/types'
import type { RunEvent, RunResult } from '../events.ts'
import { tokensIn } from '../loop/tokens.ts'
import { formatCount, formatDuration, formatMany, formatMoney, oneLine, printable } from './format.ts'
import { trimSavings } from './savings.ts'

type End = RunEvent & { type: 'run.finished' }

/** How a run ended, for people: result and reason, what it took, what the trims saved, where everything lies, what to do next. */
export const endSummary = (end: End, events: readonly RunEvent[], colors: Colors): string => {
  const { bold, dim } = colors
  const { tokens } = end
  const all = tokensIn(tokens)
  const cached = all === 0 ? '' : `, ${Math.round((100 * tokens.cacheRead) / all)}% from cache`
  const rows: readonly (readonly [string, string])[] = [
    ['took', `${formatMany(end.iterations, 'iteration')} in ${formatDuration(end.durationMs)}`],
    ['tokens', `${formatCount(all)} in${cached}, ${formatCount(tokens.output)} out`],
    ['cost', `${formatMoney(end.costUsd)}, as the agent reckons it`],
    ['trim', trimSavings(events)],
    ...commitRow(events),
    ['logs', `.loop/runs/${end.run}`],
    ['notes', '.loop/notes.md'],
    ['next', nextStep(end)],
  ]
  return [
    '',
    `${paintOf(end.result, colors)(bold(end.result))} ${printable(end.reason)}`,
    ...rows.map(([name, value]) => `  ${dim(name.padEnd(7))}${value}`),
  ].join('\n')
}

/** The colour that says how a run ended. */
export const paintOf = (result: RunResult, { green, red, yellow }: Colors): ((text: string) => string) =>
  result === 'done' ? green : result === 'agent-failing' || result === 'failed' ? red : yellow

/** What the run has committed, and how one looks at it. */
const commitRow = (events: readonly RunEvent[]): readonly (readonly [string, string])[] => {
  const made = events.filter((event) => event.type === 'commit.made')
  const [first] = made
  const last = made.at(-1)
  if (first === undefined || last === undefined) return []
  const range =
    first.from === null ? last.commit.slice(0, 8) : `${first.from.slice(0, 8)}..${last.commit.slice(0, 8)}`
  return [['commits', `${formatMany(made.length, 'iteration')} committed: \`git log -p ${range}\``]]
}

const nextStep = ({ fix, result }: End): string =>
  fix !== ''
    ? oneLine(fix, 300)
    : result === 'done'
      ? 'Look at the changes; `yoke report` shows each iteration, `yoke logs` what the agent said and did.'
      : '`yoke logs` shows what the agent said and did; `yoke resume` goes on.'
