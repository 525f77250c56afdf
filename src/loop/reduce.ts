import type { RunEvent } from '../events.ts'
import type { Directives } from '../task/directives.ts'
import { agentFinished, paidFor } from './agent-finished.ts'
import { checkpointed, failedIteration } from './checkpoint.ts'
import { runningMs } from './limits.ts'
import { isPeriodicEvent, reducePeriodic } from './periodics.ts'
import { afterSession, sessionOf, withNotes, withoutSession, withSession, withTrimmed } from './session.ts'
import type { CheckFailure, Phase, RunState, Trace } from './state.ts'
import { steered, waitedUntil } from './steering.ts'
import { checksInShort, digestOfChecks, digestOfObjection } from './stuck.ts'
import { noTokens } from './tokens.ts'
import { afterSkippedTrim, rememberStart } from './trim-worth.ts'

/** The state before the first iteration of a run with these directives. */
export const initialState = (directives: Directives, progress: string, now: number): RunState => ({
  directives,
  phase: { at: 'ready' },
  iteration: 0,
  iterationsBefore: 0,
  attempts: {},
  sessions: {},
  workerTurns: [],
  workerPauses: [],
  leftStale: false,
  trimmedHarder: false,
  backoffs: 0,
  reminded: true,
  notesChanged: false,
  said: [],
  heard: [],
  periodicsRun: [],
  periodicsChanged: [],
  failures: [],
  unreadable: 0,
  left: [],
  drift: [],
  trace: {},
  history: [],
  progress,
  costUsd: 0,
  tokens: noTokens,
  activeMs: 0,
  activeSince: now,
  lastEventAt: now,
  waitedMs: 0,
})

/** The state after one more event (§3.1). Events that change no decision leave it as it is. */
export const reduce = (state: RunState, event: RunEvent): RunState => {
  const at = Date.parse(event.at)
  const paid = paidFor(heardOf(state, event), event)
  return {
    ...(isPeriodicEvent(event) ? reducePeriodic(paid, event) : apply(paid, event, at)),
    lastEventAt: at,
  }
}

const heardOf = (state: RunState, event: RunEvent): RunState =>
  'inbox' in event && event.inbox !== undefined ? { ...state, heard: [...state.heard, event.inbox] } : state

const apply = (state: RunState, event: RunEvent, at: number): RunState => {
  switch (event.type) {
    case 'run.resumed':
      return {
        ...(event.movedFrom === undefined ? resumed(state, at) : withoutSessions(resumed(state, at))),
        ...(event.commit === undefined ? {} : { commit: event.commit }),
      }
    case 'run.stopping':
      return { ...state, stopping: event.signal === 'SIGTERM' ? 'terminated' : 'interrupted' }
    case 'run.paused':
    case 'run.continued':
    case 'person.said':
    case 'task.changed':
    case 'task.ignored':
    case 'notes.changed':
      return steered(state, event, at)
    case 'iteration.started':
      return {
        ...without(untrimmed(state), 'verdict'),
        phase: { at: 'worker' },
        iteration: event.iteration,
        attempts: {},
        leftStale: false,
        trimmedHarder: false,
        failures: [],
        unreadable: 0,
        trace: {},
        periodicsRun: [],
      }
    case 'agent.started':
      return {
        ...(event.role === 'worker' ? rememberStart(state, at) : state),
        attempts: { ...state.attempts, [event.role]: (state.attempts[event.role] ?? 0) + 1 },
      }
    case 'session.opened':
      return event.role === 'worker' ? withSession(state, 'worker', { id: event.session }) : state
    case 'agent.finished':
      return agentFinished(state, event)
    case 'session.stale':
      return { ...afterSession(state, 'worker'), leftStale: true, phase: { at: 'worker' } }
    case 'session.forked':
      return {
        ...afterSession(state, 'worker'),
        phase: state.phase.at === 'recover' ? { at: 'worker' } : state.phase,
      }
    case 'notes.read':
      return {
        ...withNotes(state, 'worker', event),
        ...(event.commit === undefined ? {} : { commitWords: event.commit }),
        notesDigest: event.digest,
        phase: { at: 'trim' },
      }
    case 'trim.applied':
      return afterTrim({ ...withTrimmed(state, 'worker', event), reminded: true })
    case 'trim.skipped':
      return afterTrim({
        ...withSession(state, 'worker', afterSkippedTrim(state, event)),
        reminded: sessionOf(state, 'worker').keep !== undefined,
      })
    case 'trim.refused':
      return afterTrim({ ...withSession(state, 'worker', { trim: event.reason }), reminded: true })
    case 'check.passed':
      return afterCheck(state, state.failures)
    case 'check.failed':
      return afterCheck(state, [...state.failures, event])
    case 'judge.verdict':
      return {
        ...state,
        verdict: { verdict: event.verdict, reasons: event.reasons, next: event.next },
        left: event.verdict === 'done' ? [] : event.reasons,
        feedback: { kind: 'objection', reasons: event.reasons, next: event.next },
        trace:
          event.verdict === 'continue'
            ? { ...state.trace, objection: digestOfObjection(event.reasons), said: event.reasons.join(' ') }
            : state.trace,
        phase: {
          at: event.verdict === 'done' && state.directives.commit === 'done' ? 'commit' : 'progress',
        },
      }
    case 'commit.made':
    case 'commit.skipped':
    case 'rollback.done':
    case 'rollback.skipped':
      return checkpointed(state, event)
    case 'judge.unreadable':
      return event.attempt < 2
        ? { ...state, unreadable: event.attempt, phase: { at: 'judge' } }
        : {
            ...state,
            unreadable: event.attempt,
            feedback: { kind: 'unread-verdict' },
            trace: { ...state.trace, unreadable: true, said: event.text },
            phase: { at: 'progress' },
          }
    case 'wait.started':
      return {
        ...state,
        waitUntil: event.until,
        waitingSince: at,
        backoffs: state.backoffs + 1,
        phase: backFromRecovery(state.phase),
      }
    case 'wait.finished':
      return {
        ...without(without(state, 'waitUntil') as RunState, 'waitingSince'),
        waitedMs: state.waitedMs + event.waitedMs,
      }
    case 'iteration.finished':
      return {
        ...state,
        phase: { at: 'ready' },
        history: [...state.history, traceOf(state, event)].slice(-state.directives['stuck-after']),
        progress: event.progress,
        periodicsChanged: [],
      }
    case 'cycle.started':
      return cycleStarted(state, event.handoff)
    case 'run.finished':
      return { ...state, finished: event.result }
    case 'drift.found':
      return { ...state, drift: [...state.drift, ...event.names] }
    case 'run.started':
      return event.commit === undefined ? state : { ...state, commit: event.commit }
    case 'agent.lost':
    case 'periodic.started':
    case 'periodic.finished':
    case 'cycle.planned':
    case 'scoper.unreadable':
    case 'cycle.finished':
    case 'cycle.logged':
    case 'warning':
      return state
  }
}

const traceOf = (state: RunState, event: RunEvent & { type: 'iteration.finished' }): Trace => {
  const { id } = sessionOf(state, 'worker')
  return {
    ...state.trace,
    changed: event.progress !== state.progress,
    iteration: event.iteration,
    ...(id === undefined ? {} : { session: id }),
  }
}

/** The state after every role has left its session; what was to be done about one is over. */
const withoutSessions = (state: RunState): RunState =>
  Object.keys(state.sessions)
    .filter((role) => sessionOf(state, role).id !== undefined)
    .reduce(afterSession, { ...state, phase: backFromRecovery(state.phase) })

const without = <K extends keyof RunState>(state: RunState, key: K): Omit<RunState, K> => {
  const { [key]: _, ...rest } = state
  return rest
}

const untrimmed = (state: RunState): RunState => {
  const { trim: _, ...worker } = sessionOf(state, 'worker')
  return { ...state, sessions: { ...state.sessions, worker } }
}

/** A new loop begins: what the earlier one was told, and how it went, is over. */
const cycleStarted = (state: RunState, handoff: 'fresh' | 'keep'): RunState => {
  const next: RunState = {
    ...without(without(state, 'verdict') as RunState, 'feedback'),
    phase: { at: 'ready' },
    iterationsBefore: state.iteration,
    failures: [],
    left: [],
    trace: {},
    history: [],
    reminded: true,
  }
  return handoff === 'keep'
    ? withSession(next, 'worker', { isHandedOver: true })
    : withoutSession(next, 'worker')
}

const resumed = (state: RunState, at: number): RunState => {
  const { stopping: _stopping, finished: _finished, pausedSince: _paused, verdict, ...rest } = state
  return {
    ...rest,
    // A run that was killed between this verdict and its end is done all the same.
    ...(verdict?.verdict === 'done' ? { verdict } : {}),
    backoffs: 0,
    // A wait that a stop or a kill cut short has no event that says how long it was.
    ...(state.waitUntil === undefined
      ? {}
      : { waitedMs: waitedUntil(state, state.lastEventAt), waitingSince: at }),
    // What the run ended for is tried again: a person may have mended it.
    ...(state.finished === undefined ? {} : { phase: backFromRecovery(state.phase), leftStale: false }),
    // A breaker that stays open over a restart would block for ever (frankbria/ralph-claude-code#160).
    history: [],
    ...(state.phase.at === 'worker' &&
    (state.attempts['worker'] ?? 0) > 0 &&
    sessionOf(state, 'worker').id !== undefined
      ? { feedback: { kind: 'cut-off', why: 'yoke was stopped and has been started again' } as const }
      : {}),
    activeMs: runningMs(state, state.lastEventAt),
    activeSince: at,
  }
}

/** A trim in the middle of a recovery makes room for the same turn of the worker; else the checks are next. */
const afterTrim = (state: RunState): RunState =>
  state.phase.at === 'recover'
    ? { ...state, trimmedHarder: true, phase: { at: 'worker' } }
    : { ...state, phase: { at: 'check', index: 0 } }

const afterCheck = (state: RunState, failures: readonly CheckFailure[]): RunState => {
  if (state.phase.at === 'commit') return checksFailed(without(state, 'verdict') as RunState, failures)
  const index = state.phase.at === 'check' ? state.phase.index + 1 : 0
  const next: RunState = { ...state, failures, phase: { at: 'check', index } }
  const all = state.directives.checks.length
  if (index < all || failures.length === 0) return next
  const failed = checksFailed(next, failures)
  // Beyond the checks it was the commit: its changes have passed them, and what the hook says may be mended with a word.
  return index > all ? failed : failedIteration(failed)
}

const checksFailed = (state: RunState, failures: readonly CheckFailure[]): RunState => ({
  ...state,
  failures,
  feedback: { kind: 'checks-failed', failures },
  left: failures.map(({ command }) => `The check \`${command}\` fails.`),
  trace: { ...state.trace, checks: digestOfChecks(failures), said: checksInShort(failures) },
  phase: { at: 'progress' },
})

const backFromRecovery = (phase: Phase): Phase => {
  if (phase.at === 'recover') return { at: phase.from }
  if (
    phase.at === 'periodic' &&
    (phase.step === 'recover' || (phase.step === 'finish' && phase.problem !== undefined))
  )
    return { at: 'periodic', name: phase.name, step: 'run' }
  return phase
}
