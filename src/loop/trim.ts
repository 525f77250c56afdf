import type { Role } from '../agents/agent.ts'
import { forkReason } from './fork.ts'
import { sessionOf, unlessWorker } from './session.ts'
import type { RunState, Step } from './state.ts'
import { trimForesight } from './trim-worth.ts'

/** The trim of a role's session after its turn, or why there is none (§3.2). */
export const trimStep = (state: RunState, role: Role): Step => {
  const session = sessionOf(state, role)
  const { id, keep } = session
  const skip = (reason: string): Step => ({
    do: 'record',
    event: {
      type: 'trim.skipped',
      ...unlessWorker(role),
      reason,
      ...(id === undefined ? {} : { session: id }),
    },
  })
  if (id === undefined) return skip('there is no session')
  if (!state.directives.trim) return skip('it is turned off')
  if (keep === undefined) return skip('there is no KEEP line in the notes')
  // What the session holds is known after the trim: before it, its size is no reason to leave it.
  const fork = forkReason({ ...session, tokens: 0 }, state.directives)
  if (fork !== undefined) return skip(`the session is left: ${fork}`)
  // A periodic has its next turn when its cached session is long gone.
  const foresight = role === 'worker' ? trimForesight(state) : undefined
  return {
    do: 'trim',
    ...unlessWorker(role),
    session: id,
    keep,
    harder: false,
    ...(foresight === undefined ? {} : { foresight }),
  }
}
