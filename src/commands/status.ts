import { setTimeout as sleep } from 'node:timers/promises'
import picocolors from 'picocolors'
import { exitCode } from '../errors.ts'
import { elapsedMs } from '../loop/limits.ts'
import { nextFork, nextPeriodics } from '../loop/outlook.ts'
import { titleOf } from '../loop/plan.ts'
import { sessionOf } from '../loop/session.ts'
import { tokensIn } from '../loop/tokens.ts'
import type { Define } from '../main.ts'
import { openNamedRun } from '../run/git/worktree.ts'
import { type StoredRun, stateWord } from '../run/open-run.ts'
import { doingNow } from '../ui/doing-now.ts'
import {
  formatAfter,
  formatClock,
  formatCount,
  formatDuration,
  formatMoney,
  oneLine,
  printable,
  printableJson,
} from '../ui/format.ts'
import { wantsColor } from '../ui/output.ts'
import { paint } from '../ui/painter.ts'
import { fit } from '../ui/width.ts'

type StatusOptions = { readonly json?: boolean; readonly watch?: boolean }

export const define: Define = (cli) => {
  cli
    .command('status [run]', 'Show the state of a run: the newest one, or the one with this id')
    .option('-w, --watch', 'Show it again whenever it changes, until the run ends')
    .option('--json', 'Print it as JSON; with --watch one object a line')
    .example('  yoke status')
    .example('  yoke status --watch')
    .example('  yoke status 20261201 --json | jq .costUsd')
    .action(async (run: string | undefined, options: StatusOptions) => {
      const stored = await openNamedRun(run)
      if (options.watch) await watchStatus(stored.folder.id, options)
      else process.stdout.write(`${options.json ? printableJson(summary(stored)) : text(stored)}\n`)
      return exitCode.done
    })
}

const pollMs = 1000

/** Shows the run again and again: in place on a terminal, elsewhere each time that something has happened. */
export const watchStatus = async (run: string, { json }: StatusOptions): Promise<void> => {
  const inPlace = !json && process.stdout.isTTY === true && process.env['TERM'] !== 'dumb'
  let painted: readonly string[] = []
  let shown = ''
  for (;;) {
    const stored = await openNamedRun(run)
    const columns = process.stdout.columns ?? 80
    if (inPlace) {
      const lines = rowsOf(stored).map(([key, value]) => fit(`${key.padEnd(12)}${value}`, columns - 1))
      const block = lines.slice(0, Math.max(1, (process.stdout.rows ?? 24) - 1))
      process.stdout.write(paint(painted, [], block, columns))
      painted = block
    } else {
      const state = summary(stored)
      const news = `${stored.events.length} ${state.state} ${state.now}`
      if (news !== shown) process.stdout.write(json ? `${printableJson(state)}\n` : `${text(stored)}\n\n`)
      shown = news
    }
    if (stored.holder === undefined) break
    await sleep(pollMs)
  }
  if (inPlace) process.stdout.write('\n')
}

/** What a script wants to know of a run. */
const summary = (stored: StoredRun) => {
  const { folder, begin, events, state, saga, holder } = stored
  const end = events.findLast((event) => event.type === 'run.finished')
  return {
    run: folder.id,
    state: stateWord(stored),
    pid: holder?.pid ?? null,
    kind: begin.kind,
    task: begin.task,
    agent: begin.agent,
    iteration: state.iteration,
    maxIterations: state.directives['max-iterations'],
    cycle: saga?.cycle ?? null,
    maxCycles: saga === undefined ? null : state.directives['max-cycles'],
    cycleTitle: saga?.plan === undefined ? null : titleOf(saga.plan),
    iterationOfCycle: saga === undefined ? null : state.iteration - state.iterationsBefore,
    step: saga === undefined || saga.phase.at === 'cycle' ? state.phase.at : saga.phase.at,
    nextPeriodics: nextPeriodics(state),
    nextFork: nextFork(state) ?? null,
    session: sessionOf(state, 'worker').id ?? null,
    costUsd: state.costUsd,
    maxCostUsd: state.directives['max-cost-usd'] ?? null,
    workedMs: elapsedMs(state, holder === undefined ? state.lastEventAt : Date.now()),
    maxDurationMs: state.directives['max-duration'] ?? null,
    tokens: state.tokens,
    startedAt: begin.at,
    lastEventAt: new Date(state.lastEventAt).toISOString(),
    waitUntil: state.waitUntil === undefined ? null : new Date(state.waitUntil).toISOString(),
    verdict: state.verdict ?? null,
    reason: state.finished === undefined ? null : (end?.reason ?? null),
    fix: state.finished === undefined ? null : (end?.fix ?? null),
    now: holder === undefined ? null : (doingNow(stored) ?? null),
    folder: folder.root,
  }
}

const text = (stored: StoredRun): string => {
  const { bold, dim } = picocolors.createColors(wantsColor(process.stdout, process.env))
  return rowsOf(stored)
    .map(([key, value]) => `${dim(key.padEnd(12))}${key === 'state' ? bold(value) : value}`)
    .join('\n')
}

type Row = readonly [name: string, value: string]

/** What people want to know of a run. */
const rowsOf = (stored: StoredRun): readonly Row[] => {
  const it = summary(stored)
  const resumable = it.pid === null && it.state === 'stopped'
  const { cacheRead, output } = it.tokens
  return [
    ['run', `${it.run}${it.pid === null ? '' : ` (process ${it.pid})`}`],
    ['state', it.state],
    ...(it.reason === null ? [] : [['reason', oneLine(it.reason, 200)] as const]),
    ...(it.fix === null || it.fix === '' ? [] : [['to do', oneLine(it.fix, 200)] as const]),
    ...(it.state === 'paused' ? [['to do', '`yoke resume` goes on with it.'] as const] : []),
    ...(resumable ? [['to do', '`yoke resume` goes on with it.'] as const] : []),
    ...(it.waitUntil === null ? [] : [['waits until', waitText(it.waitUntil)] as const]),
    ['task', printable(it.task)],
    ...(it.cycle === null
      ? [['iteration', `${it.iteration} of ${it.maxIterations}, step ${it.step}`] as const]
      : [
          [
            'cycle',
            `${it.cycle} of ${it.maxCycles}${it.cycleTitle === null ? '' : `: ${oneLine(it.cycleTitle, 100)}`}`,
          ] as const,
          [
            'iteration',
            `${it.iterationOfCycle} of ${it.maxIterations} in this cycle, ${it.iteration} in all, step ${it.step}`,
          ] as const,
        ]),
    ...(it.nextPeriodics.length === 0
      ? []
      : [
          [
            'periodics',
            it.nextPeriodics
              .map(({ name, after, isDue }) => `${name} ${isDue ? 'now' : formatAfter(after - it.iteration)}`)
              .join(', '),
          ] as const,
        ]),
    ...(it.now === null ? [] : [['now', it.now] as const]),
    ['session', it.session ?? 'none'],
    ...(it.nextFork === null ? [] : [['next fork', it.nextFork] as const]),
    [
      'tokens',
      `${formatCount(tokensIn(it.tokens))} in (${formatCount(cacheRead)} from cache), ${formatCount(output)} out`,
    ],
    [
      'cost',
      `${formatMoney(it.costUsd)}${it.maxCostUsd === null ? '' : ` of ${formatMoney(it.maxCostUsd)}`}`,
    ],
    [
      'worked',
      `${formatClock(it.workedMs)}${it.maxDurationMs === null ? '' : ` of ${formatDuration(it.maxDurationMs)}`}`,
    ],
    ['last event', `${formatDuration(Date.now() - stored.state.lastEventAt)} ago`],
    ['folder', printable(it.folder)],
  ]
}

const waitText = (until: string): string =>
  `${new Date(until).toLocaleString()}, ${formatClock(Date.parse(until) - Date.now())} more`
