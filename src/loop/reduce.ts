import type { RunEvent } from '../events.ts'
import type { Directives } from '../task/directives.ts'
import { endsIteration, isOrdinary } from './recovery.ts'
import type { CheckFailure, Phase, RunState } from './state.ts'
import { digestOfChecks, digestOfObjection } from './stuck.ts'

const noTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** The state before the first iteration of a run with these directives. */
export const initialState = (directives: Directives, progress: string, now: number): RunState => ({
  directives,
  phase: { at: 'ready' },
  iteration: 0,
  attempts: {},
  sessionIterations: 0,
  sessionCostUsd: 0,
  sessionTokens: 0,
  leftStale: false,
  trimmedHarder: false,
  backoffs: 0,
  reset: false,
  reminded: true,
  failures: [],
  unreadable: 0,
  trace: {},
  history: [{ progress }],
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
  return { ...apply(state, event, at), lastEventAt: at }
}

const apply = (state: RunState, event: RunEvent, at: number): RunState => {
  switch (event.type) {
    case 'run.resumed':
      return resumed(state, at)
    case 'run.stopping':
      return { ...state, stopping: event.signal === 'SIGTERM' ? 'terminated' : 'interrupted' }
    case 'iteration.started':
      return {
        ...without(state, 'verdict'),
        phase: { at: 'worker' },
        iteration: event.iteration,
        attempts: {},
        leftStale: false,
        trimmedHarder: false,
        failures: [],
        unreadable: 0,
        trace: {},
      }
    case 'agent.started':
      return {
        ...state,
        attempts: { ...state.attempts, [event.role]: (state.attempts[event.role] ?? 0) + 1 },
      }
    case 'session.opened':
      return event.role === 'worker' ? { ...state, session: event.session } : state
    case 'agent.finished':
      return agentFinished(state, event)
    case 'session.stale':
      return { ...withoutSession(state), leftStale: true, phase: { at: 'worker' } }
    case 'session.forked':
      return {
        ...withoutSession(state),
        phase: state.phase.at === 'recover' ? { at: 'worker' } : state.phase,
      }
    case 'notes.read':
      return {
        ...without(state, 'keep'),
        ...(event.keep === null ? {} : { keep: event.keep }),
        reset: event.reset,
        phase: { at: 'trim' },
      }
    case 'trim.applied':
      return afterTrim({
        ...state,
        ...(event.newSession === undefined ? {} : { session: event.newSession }),
        reminded: true,
        sessionTokens: event.tokensAfter,
      })
    case 'trim.skipped':
      return afterTrim({ ...state, reminded: state.keep !== undefined })
    case 'trim.refused':
      return afterTrim({ ...state, reminded: true })
    case 'check.passed':
      return afterCheck(state, state.failures)
    case 'check.failed':
      return afterCheck(state, [...state.failures, event])
    case 'judge.verdict':
      return {
        ...state,
        verdict: { verdict: event.verdict, reasons: event.reasons, next: event.next },
        feedback: { kind: 'objection', reasons: event.reasons, next: event.next },
        trace:
          event.verdict === 'continue'
            ? { ...state.trace, objection: digestOfObjection(event.reasons) }
            : state.trace,
        phase: { at: 'progress' },
      }
    case 'judge.unreadable':
      return event.attempt < 2
        ? { ...state, unreadable: event.attempt, phase: { at: 'judge' } }
        : {
            ...state,
            unreadable: event.attempt,
            feedback: { kind: 'unread-verdict' },
            phase: { at: 'progress' },
          }
    case 'wait.started':
      return {
        ...state,
        waitUntil: event.until,
        backoffs: state.backoffs + 1,
        phase: backFromRecovery(state.phase),
      }
    case 'wait.finished':
      return { ...without(state, 'waitUntil'), waitedMs: state.waitedMs + event.waitedMs }
    case 'iteration.finished':
      return {
        ...state,
        phase: { at: 'ready' },
        history: [...state.history, { ...state.trace, progress: event.progress }].slice(
          -1 - state.directives['stuck-after'],
        ),
      }
    case 'run.finished':
      return { ...state, finished: event.result }
    case 'run.started':
    case 'warning':
      return state
  }
}

const without = <K extends keyof RunState>(state: RunState, key: K): Omit<RunState, K> => {
  const { [key]: _, ...rest } = state
  return rest
}

const withoutSession = (state: RunState): RunState => ({
  ...without(state, 'session'),
  sessionIterations: 0,
  sessionTokens: 0,
  sessionCostUsd: 0,
  reset: false,
})

const resumed = (state: RunState, at: number): RunState => {
  const { stopping: _stopping, finished: _finished, verdict: _verdict, ...rest } = state
  return {
    ...rest,
    backoffs: 0,
    // A breaker that stays open over a restart would block for ever (frankbria/ralph-claude-code#160).
    history: state.history.slice(-1),
    ...(state.phase.at === 'worker' && (state.attempts['worker'] ?? 0) > 0 && state.session !== undefined
      ? { feedback: { kind: 'cut-off', why: 'yoke was stopped and has been started again' } as const }
      : {}),
    activeMs: state.activeMs + state.lastEventAt - state.activeSince,
    activeSince: at,
  }
}

const agentFinished = (state: RunState, event: RunEvent & { type: 'agent.finished' }): RunState => {
  const paid: RunState = {
    ...state,
    sessionCostUsd: event.role === 'worker' ? event.printedCostUsd : state.sessionCostUsd,
    costUsd: state.costUsd + event.costUsd,
    tokens: {
      input: state.tokens.input + event.tokens.input,
      output: state.tokens.output + event.tokens.output,
      cacheRead: state.tokens.cacheRead + event.tokens.cacheRead,
      cacheWrite: state.tokens.cacheWrite + event.tokens.cacheWrite,
    },
  }
  if (event.role !== 'worker' && event.role !== 'judge') return paid
  const failure = {
    class: event.class,
    evidence: event.evidence,
    ...(event.resetsAt === undefined ? {} : { resetsAt: event.resetsAt }),
  }
  if (event.role === 'judge') {
    // The verdict, or that there is none, comes as an event of its own.
    return isOrdinary(event.class) || endsIteration(event.class)
      ? { ...paid, backoffs: 0 }
      : { ...paid, phase: { at: 'recover', from: 'judge', failure } }
  }
  if (isOrdinary(event.class)) {
    return {
      ...paid,
      ...(event.session === undefined ? {} : { session: event.session }),
      sessionIterations: paid.sessionIterations + 1,
      sessionTokens: event.context?.peak ?? paid.sessionTokens,
      backoffs: 0,
      phase: { at: 'notes' },
    }
  }
  if (endsIteration(event.class)) {
    return {
      ...paid,
      feedback: { kind: 'cut-off', why: event.evidence || event.class },
      trace: { ...paid.trace, failure: event.class },
      phase: { at: 'progress' },
    }
  }
  return { ...paid, phase: { at: 'recover', from: 'worker', failure } }
}

/** A trim in the middle of a recovery makes room for the same turn of the worker; else the checks are next. */
const afterTrim = (state: RunState): RunState =>
  state.phase.at === 'recover'
    ? { ...state, trimmedHarder: true, phase: { at: 'worker' } }
    : { ...state, phase: { at: 'check', index: 0 } }

const afterCheck = (state: RunState, failures: readonly CheckFailure[]): RunState => {
  const index = state.phase.at === 'check' ? state.phase.index + 1 : 0
  const next: RunState = { ...state, failures, phase: { at: 'check', index } }
  if (index < state.directives.checks.length || failures.length === 0) return next
  return {
    ...next,
    feedback: { kind: 'checks-failed', failures },
    trace: { ...state.trace, checks: digestOfChecks(failures) },
    phase: { at: 'progress' },
  }
}

const backFromRecovery = (phase: Phase): Phase => (phase.at === 'recover' ? { at: phase.from } : phase)
