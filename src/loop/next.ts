import type { NewEvent } from '../events.ts'
import { type Others, sharedWait } from './fleet.ts'
import { forkReason } from './fork.ts'
import { reachedLimit } from './limits.ts'
import { duePeriodics, periodicStep } from './periodics.ts'
import { nextPrompt, openingPrompt } from './prompts.ts'
import { recover } from './recovery.ts'
import { sessionOf } from './session.ts'
import type { RunState, Step } from './state.ts'
import { stuckReason } from './stuck.ts'
import { trimStep } from './trim.ts'

/** What a decision may depend on besides the events. */
export type Now = {
  /** Milliseconds since the epoch. */
  readonly time: number
  /** In [0, 1). */
  readonly jitter: number
  /** The task's prompt. */
  readonly task: string
  /** Of a run that works beside others. */
  readonly others?: Others
}

/** The next step of a run (§3.1). */
export const nextStep = (state: RunState, now: Now): Step => {
  const step = ownStep(state, now)
  return sharedWait(step, state, now) ?? step
}

const ownStep = (state: RunState, now: Now): Step => {
  const wait = waitStep(state)
  if (wait !== undefined) return wait
  const { phase } = state
  switch (phase.at) {
    case 'ready':
      return betweenIterations(state, now)
    case 'worker':
      return workerStep(state, now)
    case 'notes':
      return { do: 'read-notes' }
    case 'trim':
      return trimStep(state, 'worker')
    case 'check':
      return checkStep(state, phase.index)
    case 'judge':
      return judgeStep(state)
    case 'commit':
      return { do: 'commit' }
    case 'rollback':
      return { do: 'roll-back' }
    case 'recover':
      return recover(state, phase.from, phase.failure, now.time, now.jitter)
    case 'progress':
      return { do: 'measure-progress' }
    case 'periodic':
      return periodicStep(state, phase, now)
  }
}

/** What a run that waits for its provider does. A resumed run goes on with the wait: it is in the events. */
export const waitStep = ({ waitUntil, stopping, pausedSince }: RunState): Step | undefined => {
  if (waitUntil === undefined) return undefined
  if (stopping !== undefined) return stopStep(stopping)
  return pausedSince === undefined ? { do: 'wait', until: waitUntil } : { do: 'pause' }
}

const workerStep = (state: RunState, now: Now): Step => {
  const { id } = sessionOf(state, 'worker')
  return id === undefined
    ? { do: 'run-worker', prompt: openingPrompt(now.task, state) }
    : { do: 'run-worker', prompt: nextPrompt(now.task, state), session: id }
}

/** The end is asked for first: no periodic runs after the last iteration (§3.8). */
const betweenIterations = (state: RunState, now: Now): Step => {
  const end = endStep(state, now)
  if (end !== undefined) return end
  if (state.pausedSince !== undefined) return { do: 'pause' }
  const [due] = duePeriodics(state)
  if (due !== undefined)
    return record({ type: 'periodic.started', iteration: state.iteration, name: due.name })
  const worker = sessionOf(state, 'worker')
  const fork = forkReason(worker, state.directives)
  if (fork !== undefined && worker.id !== undefined)
    return record({ type: 'session.forked', session: worker.id, reason: fork })
  return record({
    type: 'iteration.started',
    iteration: state.iteration + 1,
    ...(worker.id === undefined ? {} : { session: worker.id }),
  })
}

/** A `done` in the last allowed iteration is done, not a limit (mikeyobrien/ralph-orchestrator#369): the verdict is asked first. */
const endStep = (state: RunState, now: Now): Step | undefined => {
  const { verdict } = state
  if (verdict?.verdict === 'done')
    return {
      do: 'finish',
      result: 'done',
      reason: verdict.reasons.join(' ') || 'The task is done.',
      fix: '',
      ends: 'loop',
    }
  if (verdict?.verdict === 'blocked')
    return {
      do: 'finish',
      result: 'blocked',
      reason: `The judge says that a person is needed: ${verdict.reasons.join(' ')}`,
      fix: verdict.next || 'Do what the judge names, then run `yoke resume`.',
      ends: 'loop',
    }
  if (state.stopping !== undefined) return stopStep(state.stopping)
  const limit = reachedLimit(state, now.time, now.others?.costUsd)
  if (limit !== undefined) return { do: 'finish', result: 'limit', ...limit }
  const stuck = stuckReason(state.history, state.directives['stuck-after'])
  if (stuck !== undefined)
    return {
      do: 'finish',
      ...stuck,
      fix: 'Look into `.loop/runs`, change the task or the checks, then run `yoke resume`.',
      ends: 'loop',
    }
  return undefined
}

/** The first signal ends the run at the next place where nothing is under way. */
export const stopStep = (result: 'interrupted' | 'terminated'): Step => ({
  do: 'finish',
  result,
  reason: 'Stopped, as asked, where nothing was under way.',
  fix: 'Run `yoke resume` to go on.',
  ends: 'run',
})

const checkStep = (state: RunState, index: number): Step => {
  const command = state.directives.checks[index]
  if (command !== undefined) return { do: 'check', command }
  return state.directives.commit === 'each' ? { do: 'commit' } : judgeStep(state)
}

const judgeStep = (state: RunState): Step => {
  const { checks, judge } = state.directives
  if (judge !== 'off') return { do: 'run-judge' }
  return checks.length === 0
    ? { do: 'measure-progress' }
    : record({
        type: 'judge.verdict',
        iteration: state.iteration,
        verdict: 'done',
        reasons: ['All checks passed; the judge is off.'],
        next: '',
      })
}

const record = (event: NewEvent): Step => ({ do: 'record', event })
