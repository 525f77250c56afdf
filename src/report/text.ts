import type { Colors } from 'picocolors/types'
import { tokensIn } from '../loop/tokens.ts'
import { formatClock, formatCount, formatMany, formatMoney, oneLine, printable } from '../ui/format.ts'
import { type Column, table } from '../ui/table.ts'
import { cacheShare, type IterationRow, type Report, type RoleRow } from './report.ts'

export const percent = (share: number | null): string => (share === null ? '' : `${Math.round(share * 100)}%`)

/** What a trim left of the conversation, and what it kept of it. */
export const trimCell = ({ trim }: IterationRow): string =>
  trim === null
    ? ''
    : trim.status === 'applied'
      ? `${formatCount(trim.before)} → ${formatCount(trim.after)}`
      : trim.status

export const keptCount = ({ trim }: IterationRow): string =>
  trim?.status === 'applied' ? String(trim.kept.length) : ''

/** Kept files that had changed since they were read: brought up to date, or dropped. */
export const staleCount = ({ trim }: IterationRow): string =>
  trim?.status === 'applied' ? String(trim.refreshed.length + trim.dropped.length) : ''

/** Lines of the commit; of what was taken back, in brackets. */
const diffCell = ({ commit, rollback }: IterationRow): string => {
  const size = commit ?? rollback
  if (size === null) return ''
  const text = `+${size.insertions} -${size.deletions}`
  return commit === null ? `(${text})` : text
}

/** The columns of the table of iterations, as text and as a page. */
export const iterationColumns: readonly Column<IterationRow>[] = [
  { title: '#', cell: ({ iteration }) => String(iteration), right: true },
  { title: 'cycle', cell: ({ cycle }) => (cycle === null ? '' : String(cycle)), right: true },
  { title: 'result', cell: ({ result }) => printable(result) },
  { title: 'time', cell: ({ durationMs }) => formatClock(durationMs), right: true },
  { title: 'in', cell: ({ tokens }) => formatCount(tokensIn(tokens)), right: true },
  { title: 'cached', cell: ({ tokens }) => percent(cacheShare(tokens)), right: true },
  { title: 'out', cell: ({ tokens }) => formatCount(tokens.output), right: true },
  { title: 'cost', cell: ({ costUsd }) => formatMoney(costUsd), right: true },
  {
    title: 'context',
    cell: ({ context }) => (context === null ? '' : formatCount(context.peak)),
    right: true,
  },
  { title: 'trim', cell: trimCell, right: true },
  { title: 'kept', cell: keptCount, right: true },
  { title: 'stale', cell: staleCount, right: true },
  { title: 'commit', cell: ({ commit }) => commit?.commit.slice(0, 8) ?? '' },
  { title: 'diff', cell: diffCell, right: true },
]

export const roleColumns: readonly Column<RoleRow>[] = [
  { title: 'role', cell: ({ role }) => printable(role) },
  { title: 'starts', cell: ({ starts }) => String(starts), right: true },
  { title: 'time', cell: ({ durationMs }) => formatClock(durationMs), right: true },
  { title: 'in', cell: ({ tokens }) => formatCount(tokensIn(tokens)), right: true },
  { title: 'cached', cell: ({ tokens }) => percent(cacheShare(tokens)), right: true },
  { title: 'out', cell: ({ tokens }) => formatCount(tokens.output), right: true },
  { title: 'cost', cell: ({ costUsd }) => formatMoney(costUsd), right: true },
]

/** What the figures mean, and whose they are. */
export const legend = [
  'in, cached, out: tokens of all requests, as the provider counts them. cost: US dollars, as the agent reckons it.',
  'context: the largest request of the worker, in tokens. trim: the conversation before and after, as yoke estimates it.',
  'kept: files whose content stays in the session. stale: those of them that had changed, brought up to date or dropped.',
] as const

/** What the trims took out of the conversations, together. */
export const trimmedTokens = ({ iterations }: Report): { readonly before: number; readonly after: number } =>
  iterations.reduce(
    (sum, { trim }) =>
      trim?.status === 'applied' ? { before: sum.before + trim.before, after: sum.after + trim.after } : sum,
    { before: 0, after: 0 },
  )

export const reportText = (report: Report, colors: Colors): string => {
  const { bold, dim } = colors
  const trimmed = trimmedTokens(report)
  return [
    `${bold(report.result)} ${printable(report.reason)}`.trimEnd(),
    dim(
      `run ${report.run} · ${report.agent} · ${printable(report.task)} · ${formatMany(report.iterations.length, 'iteration')}`,
    ),
    '',
    report.iterations.length === 0
      ? 'No iteration has begun.'
      : table(report.iterations, iterationColumns, colors),
    '',
    ...(report.roles.length === 0 ? [] : [table([...report.roles, total(report)], roleColumns, colors), '']),
    `The trims took ${formatCount(trimmed.before - trimmed.after)} of ${formatCount(trimmed.before)} tokens (by yoke's estimate) out of what the session carried on.`,
    ...verdictLines(report),
    '',
    ...legend.map((line) => dim(line)),
  ].join('\n')
}

const total = ({ roles, tokens, costUsd }: Report): RoleRow => ({
  role: 'all',
  starts: roles.reduce((sum, { starts }) => sum + starts, 0),
  durationMs: roles.reduce((sum, { durationMs }) => sum + durationMs, 0),
  tokens,
  costUsd,
})

/** What was missing at the end. */
const verdictLines = ({ iterations }: Report): readonly string[] => {
  const last = iterations.findLast(({ verdict }) => verdict !== null)
  if (last?.verdict == null) return []
  return [
    `The judge, after iteration ${last.iteration}: ${last.verdict.verdict}`,
    ...last.verdict.reasons.map((reason) => `  ${oneLine(reason, 200)}`),
  ]
}
