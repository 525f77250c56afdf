import type { Colors } from 'picocolors/types'
import { elapsedMs } from '../loop/limits.ts'
import { nextFork, nextPeriodics } from '../loop/outlook.ts'
import { titleOf } from '../loop/plan.ts'
import type { RunState } from '../loop/state.ts'
import { tokensIn } from '../loop/tokens.ts'
import { formatAfter, formatClock, formatCount, formatDuration, formatMoney, printable } from './format.ts'
import { tokensOf, type View } from './view.ts'
import { fit, widthOf } from './width.ts'

export type Size = { readonly columns: number; readonly rows: number }

type Paint = (text: string) => string
type Part = { readonly text: string; readonly paint: Paint }
/** Lines that go together; on a terminal with few rows those of the highest rank stay. */
type Group = { readonly rank: number; readonly lines: readonly string[] }

/** The live block: a pure function of what is known, the terminal's size and the time. No line is wider than the terminal. */
export const frame = (
  view: View,
  { columns, rows }: Size,
  now: number,
  colors: Colors,
): readonly string[] => {
  // The last column stays free: a terminal that holds a cursor there differs from its neighbours.
  const width = Math.max(1, columns - 1)
  const groups: readonly Group[] = [
    { rank: 5, lines: [colors.dim('─'.repeat(width))] },
    { rank: 1, lines: flow(headParts(view, now, colors), width) },
    { rank: 0, lines: [nowLine(view, now, width, colors)] },
    { rank: 2, lines: flow(tokenParts(view, colors), width) },
    { rank: 3, lines: contextLines(view, width, colors) },
    { rank: 4, lines: flow(nextParts(view, colors), width) },
  ]
  return withinRows(groups, Math.max(1, rows - 1))
}

const withinRows = (groups: readonly Group[], rows: number): readonly string[] => {
  const chosen = new Set<Group>()
  let left = rows
  for (const group of [...groups].sort((a, b) => a.rank - b.rank)) {
    if (group.lines.length > left) break
    chosen.add(group)
    left -= group.lines.length
  }
  return groups.filter((group) => chosen.has(group)).flatMap(({ lines }) => lines)
}

/** Parts side by side, as many on a line as there is room for. */
const flow = (parts: readonly Part[], width: number): readonly string[] => {
  const lines: Part[][] = []
  let used = 0
  for (const { text, paint } of parts) {
    const part = { text: fit(text, width), paint }
    const wide = widthOf(part.text)
    const line = lines.at(-1)
    if (line === undefined || used + 3 + wide > width) {
      lines.push([part])
      used = wide
    } else {
      line.push(part)
      used += 3 + wide
    }
  }
  return lines.map((line) => line.map(({ text, paint }) => paint(text)).join(' · '))
}

const headParts = ({ run, task }: View, now: number, { bold, yellow }: Colors): readonly Part[] => {
  const { loop, saga } = run
  const { directives } = loop
  const iterations = `iteration ${loop.iteration - loop.iterationsBefore} of ${directives['max-iterations']}`
  const name = task.split(/[\\/]/).at(-1) ?? task
  return [
    ...(saga === undefined
      ? [{ text: printable(name), paint: bold }]
      : [
          {
            text: `cycle ${Math.max(1, saga.cycle)} of ${directives['max-cycles']}${saga.plan === undefined ? '' : `: ${printable(titleOf(saga.plan))}`}`,
            paint: bold,
          },
        ]),
    { text: iterations, paint: bold },
    {
      text: `${formatClock(elapsedMs(loop, now))}${of(directives['max-duration'], formatDuration)}`,
      paint: same,
    },
    { text: `${formatMoney(loop.costUsd)}${of(directives['max-cost-usd'], formatMoney)}`, paint: same },
    ...(loop.stopping === undefined ? [] : [{ text: 'stops after this iteration', paint: yellow }]),
  ]
}

const of = (limit: number | undefined, format: (value: number) => string): string =>
  limit === undefined ? '' : ` of ${format(limit)}`

const same: Paint = (text) => text

/** What happens now: a wait with its countdown, the agent that works, or the step between agents. */
export const nowLine = (view: View, now: number, width: number, { cyan, yellow }: Colors): string => {
  const { loop } = view.run
  if (isPaused(loop)) return yellow(fit('‖ paused: `yoke resume` goes on', width))
  if (loop.waitUntil !== undefined) {
    const left = formatClock(loop.waitUntil - now)
    const clock = new Date(loop.waitUntil).toLocaleTimeString()
    return yellow(
      fit(`‖ waits ${left} more, until ${clock}: ${inLine(view.waitReason ?? 'the agent')}`, width),
    )
  }
  const { working } = view
  return cyan(
    fit(
      working === undefined
        ? `▸ ${stepOf(view)}`
        : `▸ ${working.role} ${formatClock(now - working.since)} ${inLine(working.doing)}`.trimEnd(),
      width,
    ),
  )
}

const isPaused = ({ pausedSince, finished }: RunState): boolean =>
  pausedSince !== undefined && finished === undefined

const inLine = (text: string): string => printable(text.replace(/\s+/g, ' ').trim())

const stepOf = ({ run }: View): string => {
  const { phase, directives, finished } = run.loop
  if (finished !== undefined) return finished
  if (run.saga !== undefined && run.saga.phase.at !== 'cycle')
    return run.saga.phase.at === 'log' ? 'writes down what the cycle brought' : 'asks the scoper for a plan'
  switch (phase.at) {
    case 'worker':
      return 'starts the worker'
    case 'notes':
      return 'reads the notes'
    case 'trim':
      return 'trims the session'
    case 'check': {
      const command = directives.checks[phase.index]
      return command === undefined ? 'checks' : `check: ${inLine(command)}`
    }
    case 'judge':
      return 'asks the judge'
    case 'recover':
      return 'deals with a failure of the agent'
    case 'periodic':
      return `periodic ${phase.name}`
    case 'commit':
      return 'commits'
    case 'rollback':
      return 'takes back what has failed'
    case 'ready':
    case 'progress':
      return 'looks at what has changed'
  }
}

const tokenParts = (view: View, { dim }: Colors): readonly Part[] => {
  const tokens = tokensOf(view)
  const all = tokensIn(tokens)
  return [
    { text: `${formatCount(all)} tokens in`, paint: same },
    ...(all === 0
      ? []
      : [{ text: `${Math.round((100 * tokens.cacheRead) / all)}% from cache`, paint: same }]),
    { text: `${formatCount(tokens.output)} out`, paint: dim },
  ]
}

/** Where yoke knows no limit, the bar ends at the next usual size of a context window. */
const scales = [200_000, 1_000_000] as const

const contextLines = (
  { run, context, trim }: View,
  width: number,
  { green, yellow, red, dim }: Colors,
): readonly string[] => {
  if (context === undefined) return []
  const over = run.loop.directives['context-fork-over']
  const scale = over ?? scales.find((size) => context <= size) ?? context
  const share = Math.min(1, context / scale)
  const text = ` ${formatCount(context)} of ${formatCount(scale).replace('.0', '')}${over === undefined ? '' : ' (fork)'}`
  const cut =
    trim === undefined ? '' : ` · last trim ${formatCount(trim.before)} → ${formatCount(trim.after)}`
  const room = width - 'context '.length - widthOf(text)
  const bar = Math.max(0, Math.min(24, room >= 24 + widthOf(cut) ? 24 : room))
  const filled = Math.round(share * bar)
  const paint = share < 0.6 ? green : share < 0.85 ? yellow : red
  return [
    fit('context ', width) +
      paint('█'.repeat(filled)) +
      dim('░'.repeat(bar - filled)) +
      fit(text + cut, Math.max(0, width - 'context '.length - bar)),
  ]
}

const nextParts = ({ run }: View, { dim }: Colors): readonly Part[] => {
  const fork = nextFork(run.loop)
  return [
    ...nextPeriodics(run.loop).map(({ name, after, isDue }) => ({
      text: `${name} ${isDue ? 'now' : formatAfter(after - run.loop.iteration)}`,
      paint: dim,
    })),
    ...(fork === undefined ? [] : [{ text: `next fork: ${inLine(fork)}`, paint: dim }]),
  ]
}

/** The title of the terminal: what one wants to see in a tab. */
export const titleText = ({ run, working }: View): string => {
  const { loop, saga } = run
  const cycle = saga === undefined ? '' : `cycle ${Math.max(1, saga.cycle)} · `
  const what = isPaused(loop)
    ? 'paused'
    : (loop.finished ?? (loop.waitUntil === undefined ? (working?.role ?? 'between agents') : 'waits'))
  return `yoke ${cycle}${loop.iteration - loop.iterationsBefore}/${loop.directives['max-iterations']} · ${what} · ${formatMoney(loop.costUsd)}`
}
