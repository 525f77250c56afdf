import picocolors from 'picocolors'
import { exitCode } from '../errors.ts'
import { nextFork, nextPeriodics } from '../loop/outlook.ts'
import { titleOf } from '../loop/plan.ts'
import { sessionOf } from '../loop/session.ts'
import type { Define } from '../main.ts'
import { loopFolder } from '../run/folder.ts'
import { openRun, type StoredRun } from '../run/open-run.ts'
import { formatCount, formatDuration, formatMoney, oneLine, printable, printableJson } from '../ui/format.ts'
import { wantsColor } from '../ui/output.ts'

export const define: Define = (cli) => {
  cli
    .command('status [run]', 'Show the state of a run: the newest one, or the one with this id')
    .option('--json', 'Print it as JSON')
    .example('  yoke status')
    .example('  yoke status 20261201 --json | jq .costUsd')
    .action(async (run: string | undefined, options: { json?: boolean }) => {
      const stored = await openRun(loopFolder(process.cwd()), run === undefined ? undefined : String(run))
      process.stdout.write(`${options.json ? printableJson(summary(stored)) : text(stored)}\n`)
      return exitCode.done
    })
}

/** What a script wants to know of a run. */
const summary = ({ folder, begin, events, state, saga, holder }: StoredRun) => {
  const end = events.findLast((event) => event.type === 'run.finished')
  return {
    run: folder.id,
    state: holder !== undefined ? 'running' : (state.finished ?? 'stopped'),
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
    tokens: state.tokens,
    startedAt: begin.at,
    lastEventAt: new Date(state.lastEventAt).toISOString(),
    waitUntil: state.waitUntil === undefined ? null : new Date(state.waitUntil).toISOString(),
    verdict: state.verdict ?? null,
    reason: state.finished === undefined ? null : (end?.reason ?? null),
    fix: state.finished === undefined ? null : (end?.fix ?? null),
    folder: folder.root,
  }
}

const text = (stored: StoredRun): string => {
  const { bold, dim } = picocolors.createColors(wantsColor(process.stdout, process.env))
  const it = summary(stored)
  const { input, cacheRead, cacheWrite, output } = it.tokens
  const rows: readonly (readonly [string, string])[] = [
    ['run', `${it.run} ${it.pid === null ? '' : dim(`process ${it.pid}`)}`],
    ['state', bold(it.state)],
    ...(it.reason === null ? [] : [['reason', oneLine(it.reason, 200)] as const]),
    ...(it.fix === null || it.fix === '' ? [] : [['to do', oneLine(it.fix, 200)] as const]),
    ...(it.waitUntil === null ? [] : [['waits until', it.waitUntil] as const]),
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
              .map(({ name, after, isDue }) => `${name} ${isDue ? 'now' : `after iteration ${after}`}`)
              .join(', '),
          ] as const,
        ]),
    ['session', it.session ?? 'none'],
    ...(it.nextFork === null ? [] : [['next fork', it.nextFork] as const]),
    [
      'tokens',
      `${formatCount(input + cacheRead + cacheWrite)} in (${formatCount(cacheRead)} from cache), ${formatCount(output)} out`,
    ],
    ['cost', formatMoney(it.costUsd)],
    ['last event', `${formatDuration(Date.now() - stored.state.lastEventAt)} ago`],
    ['folder', printable(it.folder)],
  ]
  return rows.map(([key, value]) => `${dim(key.padEnd(12))}${value}`).join('\n')
}
