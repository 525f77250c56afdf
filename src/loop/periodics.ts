import type { Role } from '../agents/agent.ts'
import type { RunEvent } from '../events.ts'
import type { Periodic } from '../task/directives.ts'
import { forkReason } from './fork.ts'
import type { Now } from './next.ts'
import { periodicPrompt } from './prompts.ts'
import { endsIteration, failureOf, isOrdinary, recover } from './recovery.ts'
import { afterTurn, sessionOf, withNotes, withoutSession, withSession, withTrimmed } from './session.ts'
import type { PeriodicPhase, RunState, Step } from './state.ts'
import { trimStep } from './trim.ts'

export const periodicRole = (name: string): Role & `periodic:${string}` => `periodic:${name}`

/** The periodics that are still to run before the next iteration, in the order in which they are listed (§3.8). */
export const duePeriodics = ({
  directives,
  iteration,
  periodicsRun,
}: Pick<RunState, 'directives' | 'iteration' | 'periodicsRun'>): readonly Periodic[] =>
  iteration === 0
    ? []
    : directives.periodics.filter(
        ({ name, every }) => iteration % every === 0 && !periodicsRun.includes(name),
      )

/** The next step of a periodic that has begun. */
export const periodicStep = (state: RunState, phase: PeriodicPhase, now: Now): Step => {
  const { name } = phase
  const role = periodicRole(name)
  const periodic = state.directives.periodics.find((each) => each.name === name)
  if (periodic === undefined) return finish(name, 'it is not among the periodics any more')
  switch (phase.step) {
    case 'run':
      return runStep(state, periodic)
    case 'notes':
      return { do: 'read-notes', role }
    case 'trim':
      return leaveOrTrim(state, role)
    case 'recover': {
      const step = recover(state, role, phase.failure, now.time, now.jitter)
      // What every other start of the agent would run into as well ends the run.
      return step.do === 'finish' && step.result === 'agent-failing' ? failed(periodic, step.reason) : step
    }
    case 'finish':
      return phase.problem === undefined ? finish(name, '') : failed(periodic, phase.problem)
  }
}

const runStep = (state: RunState, periodic: Periodic): Step => {
  const { id } = sessionOf(state, periodicRole(periodic.name))
  const isResumed = periodic.session === 'own' && id !== undefined
  return {
    do: 'run-periodic',
    name: periodic.name,
    prompt: periodicPrompt(periodic, state.iteration, isResumed),
    session: isResumed
      ? { kind: 'resume', id }
      : periodic.session === 'own'
        ? { kind: 'new' }
        : { kind: 'ephemeral' },
  }
}

/** Its next turn may be hours away: whether the session is left is decided, and said, at once. */
const leaveOrTrim = (state: RunState, role: Role): Step => {
  const session = sessionOf(state, role)
  const reason = forkReason({ ...session, tokens: 0 }, state.directives)
  return reason === undefined || session.id === undefined
    ? trimStep(state, role)
    : { do: 'record', event: { type: 'session.forked', role, session: session.id, reason } }
}

const failed = ({ name, required }: Periodic, problem: string): Step =>
  required === true
    ? {
        do: 'finish',
        result: 'agent-failing',
        reason: `The periodic ${name} is required, and it failed: ${problem}`,
        fix: 'Look at the agent output in `.loop/runs`, then run `yoke resume`.',
        ends: 'run',
      }
    : finish(name, problem)

const finish = (name: string, problem: string): Step => ({ do: 'finish-periodic', name, problem })

type Own<T extends RunEvent['type']> = RunEvent & { type: T }
type PeriodicEvent =
  | Own<'periodic.started'>
  | Own<'periodic.finished'>
  | Own<'session.opened'>
  | Own<'agent.finished'>
  | Own<'session.stale'>
  | Own<'session.forked'>
  | Own<'notes.read'>
  | Own<'trim.applied'>
  | Own<'trim.skipped'>
  | Own<'trim.refused'>

/** Whether an event belongs to a periodic, and so to no other part of the loop. */
export const isPeriodicEvent = (event: RunEvent): event is PeriodicEvent =>
  event.type === 'periodic.started' ||
  event.type === 'periodic.finished' ||
  (event.type !== 'agent.started' &&
    event.type !== 'agent.lost' &&
    'role' in event &&
    event.role?.startsWith('periodic:') === true)

/** The state after one more event of a periodic; what it cost has been counted. */
export const reducePeriodic = (state: RunState, event: PeriodicEvent): RunState => {
  if (event.type === 'periodic.started')
    return {
      ...state,
      phase: { at: 'periodic', name: event.name, step: 'run' },
      leftStale: false,
      trimmedHarder: false,
    }
  if (event.type === 'periodic.finished')
    return {
      ...state,
      phase: { at: 'ready' },
      periodicsRun: [...state.periodicsRun, event.name],
      periodicsChanged:
        event.progress === state.progress ? state.periodicsChanged : [...state.periodicsChanged, event.name],
      progress: event.progress,
    }
  const { phase } = state
  const { role } = event
  return phase.at === 'periodic' && role === periodicRole(phase.name)
    ? turnEvent(state, phase, role, event)
    : state
}

const turnEvent = (
  state: RunState,
  phase: PeriodicPhase,
  role: Role,
  event: Exclude<PeriodicEvent, Own<'periodic.started'> | Own<'periodic.finished'>>,
): RunState => {
  const { name } = phase
  const then = (next: 'run' | 'notes' | 'trim' | 'finish', base: RunState): RunState => ({
    ...base,
    phase: { at: 'periodic', name, step: next },
  })
  const isRecovering = phase.step === 'recover'
  /** A trim or a fork in the middle of a recovery makes room for the same turn. */
  const onwards = (base: RunState): RunState =>
    isRecovering ? then('run', { ...base, trimmedHarder: true }) : then('finish', base)
  switch (event.type) {
    case 'session.opened':
      return withSession(state, role, { id: event.session })
    case 'agent.finished':
      return turnEnded(state, name, event)
    case 'session.stale':
      return then('run', { ...withoutSession(state, role), leftStale: true })
    case 'session.forked':
      return onwards(withoutSession(state, role))
    case 'notes.read':
      return then('trim', withNotes(state, role, event))
    case 'trim.applied':
      return onwards(withTrimmed(state, role, event))
    case 'trim.skipped':
    case 'trim.refused':
      return onwards(withSession(state, role, { trim: event.reason }))
  }
}

const turnEnded = (state: RunState, name: string, event: Own<'agent.finished'>): RunState => {
  if (isOrdinary(event.class)) {
    // A fresh periodic keeps no session, so its notes are nothing to yoke.
    return event.session === undefined
      ? { ...state, backoffs: 0, phase: { at: 'periodic', name, step: 'finish' } }
      : { ...afterTurn(state, event), phase: { at: 'periodic', name, step: 'notes' } }
  }
  const failure = failureOf(event)
  if (endsIteration(event.class))
    return { ...state, phase: { at: 'periodic', name, step: 'finish', problem: failure.evidence } }
  return { ...state, phase: { at: 'periodic', name, step: 'recover', failure } }
}
