import type { Colors } from 'picocolors/types'
import type { RunEvent, RunResult } from '../events.ts'
import { formatCount, formatDuration, formatMany, formatMoney, oneLine, printable } from './format.ts'
import { trimSavings } from './savings.ts'

type End = RunEvent & { type: 'run.finished' }

/** How a run ended, for people: result and reason, what it took, what the trims saved, where everything lies, what to do next. */
export const endSummary = (end: End, events: readonly RunEvent[], colors: Colors): string => {
  const { bold, dim } = colors
  const { tokens } = end
  const all = tokens.input + tokens.cacheRead + tokens.cacheWrite
  const cached = all === 0 ? '' : `, ${Math.round((100 * tokens.cacheRead) / all)}% from cache`
  const rows: readonly (readonly [string, string])[] = [
    ['took', `${formatMany(end.iterations, 'iteration')} in ${formatDuration(end.durationMs)}`],
    ['tokens', `${formatCount(all)} in${cached}, ${formatCount(tokens.output)} out`],
    ['cost', `${formatMoney(end.costUsd)}, as the agent reckons it`],
    ['trim', trimSavings(events)],
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

const nextStep = ({ fix, result }: End): string =>
  fix !== ''
    ? oneLine(fix, 300)
    : result === 'done'
      ? 'Look at the changes; `yoke report` shows each iteration, `yoke logs` what the agent said and did.'
      : '`yoke logs` shows what the agent said and did; `yoke resume` goes on.'
