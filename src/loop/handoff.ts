import { forkReason } from './fork.ts'
import { sessionOf } from './session.ts'
import type { RunState } from './state.ts'

/** Why the worker's session cannot go on in the next cycle of a saga, or undefined when it can (§3.9). */
export const handoffRefusal = (state: RunState): string | undefined => {
  const session = sessionOf(state, 'worker')
  if (session.id === undefined) return 'there is no session: it is stale, or was left'
  const fork = forkReason(session, state.directives)
  if (fork !== undefined) return fork
  if (session.trim === undefined) return 'it was not trimmed: the last turn was cut off'
  if (session.trim !== 'applied' && session.trim !== 'spared') return `it was not trimmed: ${session.trim}`
  return undefined
}
