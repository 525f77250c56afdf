import type { Plan, RunEvent, RunResult } from '../events.ts'
import { handoffRefusal } from './handoff.ts'
import { limit, reachedRunLimit, usedUp } from './limits.ts'
import { type Now, nextStep, stopStep, waitStep } from './next.ts'
import { duePeriodics } from './periodics.ts'
import { digestOfPlan, titleOf } from './plan.ts'
import { endsIteration, failureOf, isOrdinary, recover } from './recovery.ts'
import { cycleEntry, cycleMark } from './saga-log.ts'
import type { CycleEnd, Failure, RunState, Step } from './state.ts'

type Own<T extends RunEvent['type']> = RunEvent & { type: T }

export type SagaPhase =
  | { readonly at: 'scope' }
  | { readonly at: 'recover'; readonly failure: Failure }
  | { readonly at: 'planned'; readonly plan: Plan }
  | { readonly at: 'cycle' }
  | { readonly at: 'log'; readonly end: Own<'cycle.finished'> }

/** A saga at one moment, besides the loop that carries out its plans. */
export type SagaState = {
  readonly phase: SagaPhase
  /** The cycle under way, or the last one; 0 before the first. */
  readonly cycle: number
  /** The plan that is, or was last, carried out. */
  readonly plan?: Plan
  /** Unreadable answers of the scoper in a row. */
  readonly unreadable: number
  /** HEAD when the cycle began. */
  readonly commit: string | null
  /** What the run had cost when the cycle before was over. */
  readonly costBefore: number
}

export const initialSaga: SagaState = {
  phase: { at: 'scope' },
  cycle: 0,
  unreadable: 0,
  commit: null,
  costBefore: 0,
}

/** The next step of a saga; within a cycle, that of its loop (§3.9). */
export const sagaStep = (saga: SagaState, loop: RunState, now: Now): Step => {
  const wait = waitStep(loop)
  if (wait !== undefined) return wait
  const { phase } = saga
  switch (phase.at) {
    case 'scope':
      return scopeStep(saga, loop, now)
    case 'recover':
      return recover(loop, 'scoper', phase.failure, now.time, now.jitter)
    case 'planned':
      return plannedStep(saga, loop, phase.plan)
    case 'cycle':
      return cycleStep(saga, loop, { ...now, task: saga.plan?.plan ?? '' })
    case 'log':
      return {
        do: 'log-cycle',
        cycle: saga.cycle,
        entry: cycleEntry(phase.end, saga.plan?.plan ?? ''),
        mark: cycleMark(phase.end),
      }
  }
}

const scopeStep = (saga: SagaState, loop: RunState, now: Now): Step => {
  if (loop.stopping !== undefined) return stopStep(loop.stopping)
  const reached = reachedRunLimit(loop, now.time)
  if (reached !== undefined) return { do: 'finish', result: 'limit', ...reached }
  if (loop.pausedSince !== undefined) return { do: 'pause' }
  if (saga.unreadable >= 2)
    return finish(
      'agent-failing',
      'The scoper gave no readable plan twice in a row.',
      'Look at its output in `.loop/runs`, then run `yoke resume`.',
    )
  return { do: 'run-scoper', cycle: saga.cycle + 1 }
}

/** That the goal is reached is asked for first: in the last allowed cycle as well, done is done. */
const plannedStep = (saga: SagaState, loop: RunState, plan: Plan): Step => {
  const why = plan.plan.trim() || plan.title.trim()
  if (plan.status === 'done') return finish('done', why || 'The scoper finds the goal reached.', '')
  if (plan.status === 'blocked')
    return finish(
      'blocked',
      `The scoper says that a person is needed: ${why}`,
      'Do what it names, then run `yoke resume`.',
    )
  if (saga.plan !== undefined && digestOfPlan(plan.plan) === digestOfPlan(saga.plan.plan))
    return finish(
      'agent-failing',
      `The scoper planned the same twice in a row: ${titleOf(plan)}`,
      'Look at `.loop/saga-log.md`, change the goal, then run `yoke resume`.',
    )
  const cycles = loop.directives['max-cycles']
  if (saga.cycle >= cycles)
    return {
      do: 'finish',
      result: 'limit',
      ...limit(usedUp(cycles, 'cycle'), 'max-cycles'),
      ends: 'run',
    }
  return {
    do: 'start-cycle',
    cycle: saga.cycle + 1,
    title: titleOf(plan),
    handoff: handoffOf(saga, loop, plan),
  }
}

const handoffOf = (saga: SagaState, loop: RunState, { handoff }: Plan) => {
  if (handoff === 'fresh' || saga.cycle === 0) return undefined
  const refused = handoffRefusal(loop)
  const { id } = loop.sessions['worker'] ?? {}
  return refused === undefined && id !== undefined ? { session: id } : { refused: refused ?? '' }
}

/** The end of a loop is that of a cycle, unless everything ends. Periodics that are due still run. */
const cycleStep = (saga: SagaState, loop: RunState, now: Now): Step => {
  const step = nextStep(loop, now)
  if (step.do !== 'finish' || step.ends === 'run') return step
  const [due] = duePeriodics(loop)
  const goesOn = loop.stopping === undefined && reachedRunLimit(loop, now.time) === undefined
  if (due !== undefined && goesOn)
    return { do: 'record', event: { type: 'periodic.started', iteration: loop.iteration, name: due.name } }
  const { result, reason } = step
  const cycle: CycleEnd = {
    cycle: saga.cycle,
    title: saga.plan === undefined ? '' : titleOf(saga.plan),
    result,
    reason,
    left: [...loop.left],
    iterations: loop.iteration - loop.iterationsBefore,
    costUsd: loop.costUsd - saga.costBefore,
  }
  return { do: 'finish-cycle', cycle, commit: saga.commit }
}

const finish = (result: 'done' | 'blocked' | 'agent-failing', reason: string, fix: string): Step => ({
  do: 'finish',
  result,
  reason,
  fix,
  ends: 'run',
})

/** The saga after one more event; `loop` is the state of its loop after it. */
export const reduceSaga = (saga: SagaState, event: RunEvent, loop: RunState): SagaState => {
  switch (event.type) {
    case 'agent.finished':
      return event.role === 'scoper' ? scoperEnded(saga, event) : saga
    case 'wait.started':
      return saga.phase.at === 'recover' ? { ...saga, phase: { at: 'scope' } } : saga
    case 'scoper.unreadable':
      return { ...saga, phase: { at: 'scope' }, unreadable: event.attempt }
    case 'cycle.planned': {
      const { status, title, plan, handoff } = event
      return { ...saga, phase: { at: 'planned', plan: { status, title, plan, handoff } }, unreadable: 0 }
    }
    case 'cycle.started':
      return saga.phase.at === 'planned'
        ? { ...saga, phase: { at: 'cycle' }, cycle: event.cycle, plan: saga.phase.plan, commit: event.commit }
        : saga
    case 'cycle.finished':
      return { ...saga, phase: { at: 'log', end: event }, costBefore: loop.costUsd }
    case 'cycle.logged':
      return { ...saga, phase: { at: 'scope' } }
    case 'run.finished':
      return afterEnd(saga, event.result)
    default:
      return saga
  }
}

/** What comes after an answer or the lack of one is an event of its own. */
const scoperEnded = (saga: SagaState, event: Own<'agent.finished'>): SagaState =>
  isOrdinary(event.class) || endsIteration(event.class)
    ? saga
    : { ...saga, phase: { at: 'recover', failure: failureOf(event) } }

/** A resumed saga plans anew, unless it only ran out of cycles; what it gave up, it may plan again. */
const afterEnd = (saga: SagaState, result: RunResult): SagaState => {
  const { phase } = saga
  if (phase.at === 'cycle' || phase.at === 'log' || (phase.at === 'planned' && result === 'limit'))
    return saga
  const { plan, ...rest } = saga
  const isGivenUp = result === 'agent-failing' || result === 'blocked'
  return {
    ...rest,
    ...(plan === undefined || isGivenUp ? {} : { plan }),
    phase: { at: 'scope' },
    unreadable: 0,
  }
}
