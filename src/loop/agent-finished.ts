import type { RunEvent } from '../events.ts'
import { failedIteration } from './checkpoint.ts'
import { endsIteration, failureOf, isOrdinary } from './recovery.ts'
import { afterTurn, withSession } from './session.ts'
import type { RunState } from './state.ts'
import { addTokens } from './tokens.ts'
import { rememberTurn } from './trim-worth.ts'

/** Cost and tokens count for every role; what a session has cost so far is kept for those that resume it. */
export const paidFor = (state: RunState, event: RunEvent): RunState => {
  if (event.type !== 'agent.finished' && event.type !== 'agent.lost') return state
  const paid: RunState = {
    ...state,
    costUsd: state.costUsd + event.costUsd,
    tokens: addTokens(state.tokens, event.tokens),
  }
  // Without a session there is no account that goes on.
  return event.session === undefined ? paid : withSession(paid, event.role, { costUsd: event.printedCostUsd })
}

/** The state after a turn of the worker or the judge; other roles change no more than what has been paid. */
export const agentFinished = (paid: RunState, event: RunEvent & { type: 'agent.finished' }): RunState => {
  if (event.role !== 'worker' && event.role !== 'judge')
    return isOrdinary(event.class) ? { ...paid, backoffs: 0 } : paid
  const failure = failureOf(event)
  if (event.role === 'judge') {
    // The verdict, or that there is none, comes as an event of its own.
    return isOrdinary(event.class) || endsIteration(event.class)
      ? { ...paid, backoffs: 0 }
      : { ...paid, phase: { at: 'recover', from: 'judge', failure } }
  }
  if (isOrdinary(event.class))
    return {
      ...afterTurn(rememberTurn(paid, event), event),
      said: [],
      notesChanged: false,
      phase: { at: 'notes' },
    }
  if (endsIteration(event.class)) {
    return failedIteration({
      ...paid,
      feedback: { kind: 'cut-off', why: failure.evidence },
      trace: { ...paid.trace, failure: event.class, said: failure.evidence },
    })
  }
  return { ...paid, phase: { at: 'recover', from: 'worker', failure } }
}
