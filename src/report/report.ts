import type { Tokens } from '../agents/agent.ts'
import type { RunEvent, RunResult, Verdict } from '../events.ts'
import { addTokens, noTokens, tokensIn } from '../loop/tokens.ts'

type Of<T extends RunEvent['type']> = RunEvent & { type: T }

export type TrimRow =
  | {
      readonly status: 'applied'
      /** Of the conversation, in tokens as yoke estimates them. */
      readonly before: number
      readonly after: number
      readonly kept: readonly string[]
      readonly refreshed: readonly string[]
      readonly dropped: readonly { readonly path: string; readonly reason: string }[]
      readonly unmatched: readonly string[]
    }
  | { readonly status: 'skipped' | 'refused'; readonly reason: string }

export type CheckRow = { readonly command: string; readonly passed: boolean; readonly output: string }

export type IterationRow = {
  readonly iteration: number
  /** Of a saga. */
  readonly cycle: number | null
  /** How it came out: a verdict, `check failed`, `no verdict`, the class of a failure, or `under way`. */
  readonly result: string
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationMs: number
  /** Worker, judge and periodics together. */
  readonly tokens: Tokens
  readonly costUsd: number
  readonly costByRole: Readonly<Record<string, number>>
  /** Of the worker: what share of its input came from the cache, from 0 to 1. */
  readonly cacheShare: number | null
  /** Tokens of context in the worker's first and largest request, as the provider counts them. */
  readonly context: { readonly first: number; readonly peak: number } | null
  readonly trim: TrimRow | null
  readonly checks: readonly CheckRow[]
  readonly verdict: Verdict | null
  /** Why the worker began in a fresh session. */
  readonly fork: string | null
  readonly commit: CommitRow | null
  readonly rollback: RollbackRow | null
  /** What people have said and changed before it, or in a wait within it. */
  readonly steering: readonly string[]
  readonly warnings: readonly string[]
}

/** Commits of one iteration: the last of them, and what lies between it and the state before. */
export type CommitRow = {
  readonly from: string | null
  readonly commit: string
  readonly subject: string
  readonly files: number
  readonly insertions: number
  readonly deletions: number
}

/** What was taken back of an iteration that failed. */
export type RollbackRow = Omit<CommitRow, 'from' | 'subject'> & { readonly ref: string }

export type RoleRow = {
  readonly role: string
  readonly starts: number
  readonly durationMs: number
  readonly tokens: Tokens
  readonly costUsd: number
}

/** Something that took time: an agent by its role, `check`, `wait` or `pause`. */
export type Span = {
  readonly lane: string
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
  readonly label: string
}

/** What a run took and brought. */
export type Report = {
  readonly run: string
  readonly kind: 'brute' | 'saga'
  readonly task: string
  readonly agent: string
  readonly startedAt: string
  readonly endedAt: string
  readonly result: RunResult | 'running' | 'stopped'
  readonly reason: string
  readonly fix: string
  readonly costUsd: number
  readonly tokens: Tokens
  readonly iterations: readonly IterationRow[]
  readonly roles: readonly RoleRow[]
  readonly timeline: readonly Span[]
}

/** From 0 to 1; null when nothing went in. */
export const cacheShare = (tokens: Tokens): number | null =>
  tokensIn(tokens) === 0 ? null : tokens.cacheRead / tokensIn(tokens)

const isA =
  <T extends RunEvent['type']>(type: T) =>
  (event: RunEvent): event is Of<T> =>
    event.type === type

/** A pure function of the events of a run and of whether a yoke carries it on at this moment. */
export const reportOf = (
  begin: Of<'run.started'>,
  events: readonly RunEvent[],
  isRunning: boolean,
): Report => {
  const finished = events.filter(isA('agent.finished'))
  const last = events.at(-1) ?? begin
  const end = last.type === 'run.finished' ? last : undefined
  return {
    run: begin.run,
    kind: begin.kind,
    task: begin.task,
    agent: begin.agent,
    startedAt: begin.at,
    endedAt: last.at,
    result: end?.result ?? (isRunning ? 'running' : 'stopped'),
    reason: end?.reason ?? '',
    fix: end?.fix ?? (isRunning ? '' : 'Run `yoke resume` to go on.'),
    costUsd: finished.reduce((sum, { costUsd }) => sum + costUsd, 0),
    tokens: finished.reduce((sum, { tokens }) => addTokens(sum, tokens), noTokens),
    iterations: partsOf(events).map((part, index, all) => iterationRow(part, index === all.length - 1, end)),
    roles: rolesOf(finished),
    timeline: timelineOf(events),
  }
}

type Part = {
  readonly start: Of<'iteration.started'>
  readonly cycle: number | null
  readonly events: readonly RunEvent[]
}

/** The events of each iteration, the periodics behind it included, up to the beginning of the next iteration or cycle. */
const partsOf = (events: readonly RunEvent[]): readonly Part[] => {
  const parts: { start: Of<'iteration.started'>; cycle: number | null; events: RunEvent[] }[] = []
  let cycle: number | null = null
  // A fork comes before the iteration that it is for, and so does what people say.
  let before: RunEvent[] = []
  let isOpen = false
  for (const event of events) {
    if (event.type === 'cycle.started') cycle = event.cycle
    if (event.type === 'cycle.finished') isOpen = false
    const isBetween = parts.at(-1)?.events.some(isA('iteration.finished')) !== false
    if (isBetween && ((isA('session.forked')(event) && event.role === undefined) || isSteering(event)))
      before.push(event)
    else if (event.type === 'iteration.started') {
      parts.push({ start: event, cycle, events: [...before] })
      before = []
      isOpen = true
    } else if (isOpen) parts.at(-1)?.events.push(event)
  }
  return parts
}

const isSteering = (event: RunEvent): boolean => steeringText(event) !== undefined

/** What a person did, in a line; undefined for every other event. */
const steeringText = (event: RunEvent): string | undefined => {
  switch (event.type) {
    case 'person.said':
      return `said: ${event.text}`
    case 'task.changed':
      return `the task was changed:\n${event.difference}`
    case 'task.ignored':
      return `a change of the task file was not taken:\n${event.difference}`
    case 'notes.changed':
      return 'the notes were changed'
    default:
      return undefined
  }
}

const iterationRow = (
  { start, cycle, events }: Part,
  isLast: boolean,
  end: Of<'run.finished'> | undefined,
): IterationRow => {
  const agents = events.filter(isA('agent.finished')).filter(({ role }) => role !== 'scoper')
  const worker = agents.filter(({ role }) => role === 'worker')
  const verdict = events.findLast(isA('judge.verdict'))
  const whole = events.findLast(isA('iteration.finished')) ?? events.at(-1) ?? start
  const contexts = worker.flatMap(({ context }) => (context === undefined ? [] : [context]))
  const [first] = contexts
  return {
    iteration: start.iteration,
    cycle,
    result: resultOf(events, isLast ? end : undefined),
    startedAt: start.at,
    durationMs: Date.parse(whole.at) - Date.parse(start.at),
    tokens: agents.reduce((sum, { tokens }) => addTokens(sum, tokens), noTokens),
    costUsd: agents.reduce((sum, { costUsd }) => sum + costUsd, 0),
    costByRole: Object.fromEntries(rolesOf(agents).map(({ role, costUsd }) => [role, costUsd])),
    cacheShare: cacheShare(worker.reduce((sum, { tokens }) => addTokens(sum, tokens), noTokens)),
    context:
      first === undefined
        ? null
        : { first: first.first, peak: Math.max(...contexts.map(({ peak }) => peak)) },
    trim: trimRow(events),
    checks: events.flatMap((event): readonly CheckRow[] =>
      event.type === 'check.passed'
        ? [{ command: event.command, passed: true, output: '' }]
        : event.type === 'check.failed'
          ? [{ command: event.command, passed: false, output: event.output }]
          : [],
    ),
    verdict:
      verdict === undefined
        ? null
        : { verdict: verdict.verdict, reasons: verdict.reasons, next: verdict.next },
    fork: events.filter(isA('session.forked')).findLast(({ role }) => role === undefined)?.reason ?? null,
    commit: commitRow(events),
    rollback: rollbackRow(events),
    steering: events.map(steeringText).filter((text) => text !== undefined),
    warnings: events.filter(isA('warning')).map(({ message }) => message),
  }
}

const commitRow = (events: readonly RunEvent[]): CommitRow | null => {
  const made = events.findLast(isA('commit.made'))
  if (made === undefined) return null
  const { from, commit, subject, files, insertions, deletions } = made
  return { from, commit, subject, files, insertions, deletions }
}

const rollbackRow = (events: readonly RunEvent[]): RollbackRow | null => {
  const done = events.findLast(isA('rollback.done'))
  if (done === undefined) return null
  const { ref, commit, files, insertions, deletions } = done
  return { ref, commit, files, insertions, deletions }
}

const resultOf = (events: readonly RunEvent[], end: Of<'run.finished'> | undefined): string => {
  const verdict = events.findLast(isA('judge.verdict'))
  if (verdict !== undefined) return verdict.verdict
  if (events.some(isA('check.failed'))) return 'check failed'
  const worker = events.filter(isA('agent.finished')).findLast(({ role }) => role === 'worker')
  if (worker !== undefined && worker.class !== 'ok') return worker.class
  if (end !== undefined) return end.result
  if (!events.some(isA('iteration.finished'))) return 'under way'
  return events.some(isA('judge.unreadable')) ? 'no verdict' : 'not judged'
}

/** The last trim of the worker's session. */
const trimRow = (events: readonly RunEvent[]): TrimRow | null => {
  const event = events.findLast(
    (each): each is Of<'trim.applied'> | Of<'trim.skipped'> | Of<'trim.refused'> =>
      (each.type === 'trim.applied' || each.type === 'trim.skipped' || each.type === 'trim.refused') &&
      each.role === undefined,
  )
  if (event === undefined) return null
  if (event.type !== 'trim.applied')
    return { status: event.type === 'trim.skipped' ? 'skipped' : 'refused', reason: event.reason }
  const { kept, refreshed, dropped, unmatched } = event
  return {
    status: 'applied',
    before: event.tokensBefore,
    after: event.tokensAfter,
    kept,
    refreshed,
    dropped,
    unmatched,
  }
}

const rolesOf = (finished: readonly Of<'agent.finished'>[]): readonly RoleRow[] => {
  const roles = new Map<string, RoleRow>()
  for (const { role, durationMs, tokens, costUsd } of finished) {
    const sum = roles.get(role) ?? { role, starts: 0, durationMs: 0, tokens: noTokens, costUsd: 0 }
    roles.set(role, {
      role,
      starts: sum.starts + 1,
      durationMs: sum.durationMs + durationMs,
      tokens: addTokens(sum.tokens, tokens),
      costUsd: sum.costUsd + costUsd,
    })
  }
  return [...roles.values()]
}

const timelineOf = (events: readonly RunEvent[]): readonly Span[] => {
  const spans: Span[] = []
  /** What goes on until another event ends it. */
  let open: Omit<Span, 'to'> | undefined
  /** A wait that is paused. */
  let held: Omit<Span, 'to'> | undefined
  for (const event of events) {
    const at = Date.parse(event.at)
    if (event.type === 'agent.finished')
      spans.push({
        lane: event.role,
        from: at - event.durationMs,
        to: at,
        label: `iteration ${event.iteration}: ${event.class}`,
      })
    if (event.type === 'check.passed' || event.type === 'check.failed')
      spans.push({
        lane: 'check',
        from: at - event.durationMs,
        to: at,
        label: `iteration ${event.iteration}: ${event.command}, ${event.type === 'check.passed' ? 'passed' : 'failed'}`,
      })
    if (isSteering(event)) continue
    // A wait that a stop has cut off ends with the event that comes after it.
    if (open !== undefined) spans.push({ ...open, to: at })
    const before = open
    open = undefined
    if (event.type === 'wait.started') open = { lane: 'wait', from: at, label: event.reason }
    if (event.type === 'run.paused') {
      held = before
      open = { lane: 'pause', from: at, label: 'paused' }
    }
    if (event.type === 'run.continued' && held !== undefined) open = { ...held, from: at }
    if (event.type !== 'run.paused') held = undefined
  }
  return spans
}
