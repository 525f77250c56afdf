import type { RunEvent } from '../events.ts'
import { failedIteration } from './checkpoint.ts'
import { endsIteration, isOrdinary } from './recovery.ts'
import { afterTurn, withSession } from './session.ts'
import type { RunState } from './state.ts'

/** Cost and tokens count for every role; what a session has cost so far is kept for those that resume it. */
export const paidFor = (state: RunState, event: RunEvent): RunState => {
  if (event.type !== 'agent.finished' && event.type !== 'agent.lost') return state
  const paid: RunState = {
    ...state,
    costUsd: state.costUsd + event.costUsd,
    tokens: {
      input: state.tokens.input + event.tokens.input,
      output: state.tokens.output + event.tokens.output,
      cacheRead: state.tokens.cacheRead + event.tokens.cacheRead,
      cacheWrite: state.tokens.cacheWrite + event.tokens.cacheWrite,
    },
  }
  return event.session === undefined && event.role !== 'worker'
    ? paid
    : withSession(paid, event.role, { costUsd: event.printedCostUsd })
}

/** The state after a turn of the worker or the judge; other roles change no more than what has been paid. */
export const agentFinished = (paid: RunState, event: RunEvent & { type: 'agent.finished' }): RunState => {
  if (event.role !== 'worker' && event.role !== 'judge')
    return isOrdinary(event.class) ? { ...paid, backoffs: 0 } : paid
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
  if (isOrdinary(event.class))
    return { ...afterTurn(paid, event), said: [], notesChanged: false, phase: { at: 'notes' } }
  if (endsIteration(event.class)) {
    return failedIteration({
      ...paid,
      feedback: { kind: 'cut-off', why: event.evidence || event.class },
      trace: { ...paid.trace, failure: event.class, said: event.evidence || event.class },
    })
  }
  return { ...paid, phase: { at: 'recover', from: 'worker', failure } }
}
