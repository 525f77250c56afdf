import type { Role } from '../agents/agent.ts'
import type { NewEvent, RunEvent } from '../events.ts'
import { sessionOf, unlessWorker } from './session.ts'
import type { Failure, RunState, Step } from './state.ts'

const ordinary = new Set(['ok', 'max-turns', 'permission'])
const iterationEnding = new Set(['crash', 'killed', 'timeout', 'no-transcript'])

/** The agent had its turn: what follows a turn comes next. */
export const isOrdinary = (outcome: string): boolean => ordinary.has(outcome)

/** Nothing that yoke can mend: the iteration counts, and the circuit breaker watches. */
export const endsIteration = (outcome: string): boolean => iterationEnding.has(outcome)

/** What there is to recover from; the class stands for words where there are none. */
export const failureOf = (event: RunEvent & { type: 'agent.finished' }): Failure => ({
  class: event.class,
  evidence: event.evidence || event.class,
  ...(event.resetsAt === undefined ? {} : { resetsAt: event.resetsAt }),
})

/** Waits in a row without an answer after which the provider is given up on. */
const maxBackoffs = 10
const firstBackoffMs = 15_000
const longestBackoffMs = 15 * 60_000

/** What to do about a failed start of an agent in this role (§5.6). `jitter` is in [0, 1). */
export const recover = (state: RunState, role: Role, failure: Failure, now: number, jitter: number): Step => {
  switch (failure.class) {
    case 'stale-session':
    case 'rejected-history':
      return staleSession(state, role, failure)
    case 'context-full':
      return contextFull(state, role, failure)
    case 'rate-limit':
      if (state.directives['on-limit'] === 'stop')
        return finish(
          'limit',
          failure.evidence,
          'Run `yoke resume` when the limit has been reset, or set `on-limit: wait`.',
        )
      return wait(state, failure, now, jitter)
    case 'overloaded':
      return wait(state, failure, now, jitter)
    case 'auth':
      return finish(
        'blocked',
        failure.evidence,
        'Log in to the agent (start it once by hand), then run `yoke resume`.',
      )
    case 'billing':
      return finish(
        'blocked',
        failure.evidence,
        'Settle the account with the provider, then run `yoke resume`.',
      )
    case 'bad-config':
      return finish(
        'blocked',
        failure.evidence,
        'Correct the configuration that the message names, then run `yoke resume`.',
      )
    case 'budget':
      return finish('limit', failure.evidence, 'Raise `max-cost-usd`, then run `yoke resume`.')
    default:
      return giveUp(failure.evidence, 'Look at the agent output in `.loop/runs`, then run `yoke resume`.')
  }
}

const staleSession = (state: RunState, role: Role, failure: Failure): Step => {
  const { id } = sessionOf(state, role)
  return id !== undefined && !state.leftStale
    ? record({
        type: 'session.stale',
        ...unlessWorker(role),
        session: id,
        reason: failure.evidence,
      })
    : giveUp(
        role === 'judge' || role === 'scoper'
          ? `A request of the ${role}, which has no session to leave, was refused: ${failure.evidence}`
          : `The agent refused its session, and then a fresh one: ${failure.evidence}`,
        'Look at the output of the agent in `.loop/runs`, then run `yoke resume`.',
      )
}

const contextFull = (state: RunState, role: Role, failure: Failure): Step => {
  const { id, keep } = sessionOf(state, role)
  if (id !== undefined) {
    if (!state.trimmedHarder && state.directives.trim && keep !== undefined)
      return { do: 'trim', ...unlessWorker(role), session: id, keep, harder: true }
    if ((state.attempts[role] ?? 0) < 4)
      return record({
        type: 'session.forked',
        ...unlessWorker(role),
        session: id,
        reason: 'the context is full',
      })
  }
  return giveUp(failure.evidence, 'Make the task smaller, or name a model with a larger context.')
}

const wait = (state: RunState, failure: Failure, now: number, jitter: number): Step => {
  if (state.backoffs >= maxBackoffs)
    return giveUp(
      `The provider did not answer after ${maxBackoffs} waits: ${failure.evidence}`,
      'Run `yoke resume` later.',
    )
  const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** state.backoffs) * (1 + jitter / 4)
  // A named reset time is met a little late rather than a little early: an early try is counted against the user.
  const until =
    failure.resetsAt !== undefined && failure.resetsAt > now
      ? failure.resetsAt + 5_000
      : now + Math.round(backoff)
  return record({ type: 'wait.started', class: failure.class, reason: failure.evidence, until })
}

const record = (event: NewEvent): Step => ({ do: 'record', event })
const giveUp = (reason: string, fix: string): Step => finish('agent-failing', reason, fix)
const finish = (result: 'limit' | 'blocked' | 'agent-failing', reason: string, fix: string): Step => ({
  do: 'finish',
  result,
  reason,
  fix,
  ends: 'run',
})
