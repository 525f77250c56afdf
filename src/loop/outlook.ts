import { forkReason } from './fork.ts'
import { duePeriodics } from './periodics.ts'
import { sessionOf } from './session.ts'
import type { RunState } from './state.ts'

/** When each periodic has its next turn, in the order in which they run after one iteration. */
export const nextPeriodics = (
  state: RunState,
): readonly { readonly name: string; readonly after: number; readonly isDue: boolean }[] => {
  const isBetween = state.phase.at === 'ready' || state.phase.at === 'periodic'
  const due = new Set(isBetween ? duePeriodics(state).map(({ name }) => name) : [])
  // An iteration under way is still to end.
  const ended = isBetween ? state.iteration : state.iteration - 1
  return state.directives.periodics.map(({ name, every }) =>
    due.has(name)
      ? { name, after: state.iteration, isDue: true }
      : { name, after: (Math.floor(ended / every) + 1) * every, isDue: false },
  )
}

/** Why the worker's session will be left next, as far as that is known now; undefined when nothing is set to leave it. */
export const nextFork = (state: RunState): string | undefined => {
  const session = sessionOf(state, 'worker')
  const reason = forkReason(session, state.directives)
  if (reason !== undefined) return reason
  const every = state.directives['context-fork-every']
  const over = state.directives['context-fork-over']
  const hopes = [
    ...(every === undefined ? [] : [`in ${every - session.turns} turns (context-fork-every: ${every})`]),
    ...(over === undefined
      ? []
      : [`when it holds more than ${over} tokens, now about ${session.tokens} (context-fork-over: ${over})`]),
  ]
  return hopes.length === 0 ? undefined : hopes.join(', or ')
}
