import type { Colors } from 'picocolors/types'
import type { Activity, RunEvent } from '../events.ts'
import { tokensIn } from '../loop/tokens.ts'
import {
  diffText,
  formatCount,
  formatDuration,
  formatMany,
  formatMoney,
  oneLine,
  printable,
} from './format.ts'
import { paintOf } from './summary.ts'

/** What people see of one event, or undefined when it says nothing to them. Several lines are parted by newlines. */
export const lineOf = (event: RunEvent | Activity, colors: Colors): string | undefined => {
  const { dim, bold, green, red, yellow, cyan } = colors
  switch (event.type) {
    case 'run.started':
      return `${bold('yoke')} ${dim(`run ${event.run} · ${event.agent} · ${printable(event.task)}`)}`
    case 'run.resumed':
      return [
        `${bold('yoke')} ${dim(`run ${event.run} goes on`)}`,
        ...(event.movedFrom === undefined
          ? []
          : [
              cyan(
                `  Fresh session: the project was moved from ${printable(event.movedFrom)}, where the agent would go on.`,
              ),
            ]),
      ].join('\n')
    case 'run.stopping':
      return yellow('Stopping after this iteration. A second signal stops now.')
    case 'run.paused':
      return yellow('Paused before the next iteration. `yoke resume` goes on.')
    case 'run.continued':
      return cyan('The run goes on.')
    case 'person.said':
      return cyan(`  You say: ${oneLine(event.text, 100)}`)
    case 'task.changed':
      return [cyan('  The task has been changed:'), ...differenceLines(event.difference, colors)].join('\n')
    case 'task.ignored':
      return [
        yellow(
          '  Warning: the task file was changed while the worker or the checks ran, so it may be their doing: the task stays as it was. If it was you, run `yoke say --task`.',
        ),
        ...differenceLines(event.difference, colors),
      ].join('\n')
    case 'notes.changed':
      return cyan('  The notes have been changed from outside.')
    case 'iteration.started':
      return `\n${bold(`Iteration ${event.iteration}`)} ${dim(event.session === undefined ? 'fresh session' : `session ${event.session.slice(0, 8)}`)}`
    case 'agent.said':
      return event.role === 'worker' ? `  ${oneLine(event.text, 100)}` : undefined
    case 'agent.tool':
      // A call that names nothing, such as the one by which a judge answers, is told by what comes of it.
      return event.role !== 'worker' && event.target === ''
        ? undefined
        : dim(
            `  ${event.role === 'worker' ? '' : `${event.role}: `}${event.tool} ${oneLine(event.target, 90)}`,
          )
    case 'agent.retrying':
      return yellow(`  The agent tries again${whenAgain(event)}: ${oneLine(event.cause, 60)}`)
    case 'agent.finished':
      return agentLine(event, colors)
    case 'session.stale':
      return yellow(
        `  The session cannot go on (${oneLine(event.reason, 80)}). The iteration starts again in a fresh one.`,
      )
    case 'session.forked':
      return cyan(`  Fresh session: ${oneLine(event.reason, 80)}`)
    case 'trim.applied':
      return cyan(
        `  trim: ${formatCount(event.tokensBefore)} → ${formatCount(event.tokensAfter)} tokens, kept ${event.kept.length === 0 ? 'no file' : event.kept.map(printable).join(', ')}`,
      )
    case 'trim.skipped':
      return dim(`  trim: skipped, ${event.reason}`)
    case 'trim.refused':
      return yellow(`  trim: refused, ${oneLine(event.reason, 120)}. The session goes on as it is.`)
    case 'drift.found':
      return driftLine(event, colors)
    case 'check.passed':
      return `  check: ${green('passed')} ${oneLine(event.command, 80)} ${dim(formatDuration(event.durationMs))}`
    case 'check.failed':
      return `  check: ${red('failed')} ${oneLine(event.command, 80)} ${dim(event.exit === null ? 'ended by a signal' : `exit ${event.exit}`)}`
    case 'commit.made':
      return `  commit: ${green(event.commit.slice(0, 8))} ${oneLine(event.subject, 80)} ${dim(diffText(event))}`
    case 'commit.skipped':
      return dim(`  commit: none, ${oneLine(event.reason, 120)}`)
    case 'rollback.done':
      return yellow(`  Taken back: ${diffText(event)}. \`git cherry-pick ${event.ref}\` brings it back.`)
    case 'rollback.skipped':
      return dim(`  Nothing is taken back: ${oneLine(event.reason, 120)}`)
    case 'judge.verdict':
      return [
        `  judge: ${event.verdict === 'done' ? green('done') : yellow(event.verdict)}`,
        ...event.reasons.map((reason) => `    ${oneLine(reason, 110)}`),
      ].join('\n')
    case 'judge.unreadable':
      return yellow(`  judge: no readable verdict (try ${event.attempt} of 2)`)
    case 'wait.started':
      return yellow(
        `  Waiting ${formatDuration(Math.max(0, event.until - Date.parse(event.at)))}, until ${new Date(event.until).toLocaleTimeString()}: ${oneLine(event.reason, 80)}`,
      )
    case 'wait.left':
      return dim(
        `  Waiting: ${formatDuration(event.leftMs)} left, until ${new Date(event.until).toLocaleTimeString()}`,
      )
    case 'periodic.started':
      return `  ${bold(`Periodic ${event.name}`)}`
    case 'periodic.finished':
      return event.problem === ''
        ? undefined
        : yellow(`  Warning: the periodic ${event.name} failed: ${oneLine(event.problem, 120)}`)
    case 'cycle.planned':
      return undefined
    case 'scoper.unreadable':
      return yellow(`  scoper: no readable plan (try ${event.attempt} of 2)`)
    case 'cycle.started':
      return `\n${bold(`Cycle ${event.cycle}: ${oneLine(event.title, 100)}`)} ${dim(event.handoff === 'keep' ? 'the session goes on' : 'fresh session')}`
    case 'cycle.finished':
      return `  cycle ${event.cycle}: ${event.result === 'done' ? green('done') : yellow(event.result)} ${dim(`${formatMany(event.iterations, 'iteration')} · ${formatMoney(event.costUsd)}`)}`
    case 'cycle.logged':
      return undefined
    case 'warning':
      return yellow(`  Warning: ${oneLine(event.message, 160)}`)
    case 'run.finished':
      return `\n${paintOf(event.result, colors)(bold(event.result))} ${oneLine(event.reason, 300)}`
    case 'agent.usage':
    case 'agent.lost':
    case 'agent.started':
    case 'session.opened':
    case 'notes.read':
    case 'wait.finished':
    case 'iteration.finished':
      return undefined
    // A log that a newer yoke wrote may hold more.
    default:
      return undefined
  }
}

/** The lines of a difference that are gone or new, the first ones. */
const differenceLines = (difference: string, { dim }: Colors): readonly string[] => {
  const lines = difference.split('\n').filter((line) => /^[-+]/.test(line))
  return [
    ...lines.slice(0, 6).map((line) => dim(`    ${oneLine(line, 100)}`)),
    ...(lines.length > 6 ? [dim(`    and ${lines.length - 6} lines more`)] : []),
  ]
}

const agentLine = (event: RunEvent & { type: 'agent.finished' }, { dim, red }: Colors): string => {
  const { tokens } = event
  const read = tokensIn(tokens)
  const share = read === 0 ? '' : ` · ${Math.round((100 * tokens.cacheRead) / read)}% from cache`
  const figures = dim(
    `  ${event.role}: ${formatDuration(event.durationMs)} · ${formatCount(read)} tokens in${share} · ${formatCount(tokens.output)} out · ${formatMoney(event.costUsd)}`,
  )
  const denied =
    event.denials.length === 0 || event.role !== 'worker'
      ? []
      : [
          red(
            `  The agent was denied: ${oneLine(event.denials.join(', '), 80)}. Set \`allowed-tools\` or \`permission-mode\` if it needs this.`,
          ),
        ]
  return event.class === 'ok'
    ? [figures, ...denied].join('\n')
    : [figures, red(`  ${event.role}: ${event.class}, ${oneLine(event.evidence, 120)}`), ...denied].join('\n')
}

/** The first of many names; all of them stand in the events. */
const few = (names: readonly string[]): string =>
  names.slice(0, 3).map(printable).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '')

const driftLine = (
  { where, verdict, names, details }: RunEvent & { type: 'drift.found' },
  { yellow, dim }: Colors,
): string => {
  const subject = where === 'session' ? 'The session holds' : 'The agent reports'
  const line = `  drift: ${subject} what yoke does not know: ${few(names)}.`
  return verdict === 'additive'
    ? dim(line)
    : [
        yellow(line),
        ...details.slice(0, 3).map((detail) => yellow(`    ${oneLine(detail, 140)}`)),
        yellow('    It is not trimmed. Run `yoke doctor` to see more.'),
      ].join('\n')
}

/** An agent that retries for ever says neither when nor how often. */
const whenAgain = ({ delayMs, attempt, of }: Activity & { type: 'agent.retrying' }): string =>
  of === 0 ? '' : ` in ${formatDuration(delayMs)} (${attempt}/${of})`
