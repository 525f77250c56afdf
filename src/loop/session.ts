import type { Role } from '../agents/agent.ts'
import type { RunEvent } from '../events.ts'
import type { RoleSession, RunState } from './state.ts'

/** Events and steps name a role that is not the worker. */
export const unlessWorker = (role: Role): { readonly role?: Role } => (role === 'worker' ? {} : { role })

const none: RoleSession = { turns: 0, tokens: 0, costUsd: 0, reset: false }

/** The session in which a role goes on; one without an id before its first turn. */
export const sessionOf = (state: Pick<RunState, 'sessions'>, role: string): RoleSession =>
  state.sessions[role] ?? none

/** The state with some of what is known of a role's session replaced. */
export const withSession = (state: RunState, role: string, change: Partial<RoleSession>): RunState => ({
  ...state,
  sessions: { ...state.sessions, [role]: { ...sessionOf(state, role), ...change } },
})

/** The state after a role has left its session: what its notes name stays known. */
export const withoutSession = (state: RunState, role: string): RunState => {
  const { keep } = sessionOf(state, role)
  return {
    ...state,
    sessions: { ...state.sessions, [role]: { ...none, ...(keep === undefined ? {} : { keep }) } },
  }
}

/** The state after a role has left a session within a loop: the one that it begins next has the same task. */
export const afterSession = (state: RunState, role: string): RunState =>
  withSession(withoutSession(state, role), role, { followsAnother: true })

/** A turn of a role that ended well: its session goes on with what the agent reports of it. */
export const afterTurn = (state: RunState, event: RunEvent & { type: 'agent.finished' }): RunState => {
  const { turns, tokens } = sessionOf(state, event.role)
  return {
    ...withSession(state, event.role, {
      ...(event.session === undefined ? {} : { id: event.session }),
      turns: turns + 1,
      tokens: event.context?.peak ?? tokens,
    }),
    backoffs: 0,
  }
}

/** A trimmed session holds less, and may have an id of its own. */
export const withTrimmed = (
  state: RunState,
  role: string,
  { newSession, tokensAfter }: Pick<RunEvent & { type: 'trim.applied' }, 'newSession' | 'tokensAfter'>,
): RunState => {
  const { carried: _carried, headSentAt: _headSentAt, ...session } = sessionOf(state, role)
  return {
    ...state,
    sessions: {
      ...state.sessions,
      [role]: {
        ...session,
        tokens: tokensAfter,
        trim: 'applied',
        ...(newSession === undefined ? {} : { id: newSession }),
      },
    },
  }
}

/** What the notes of a role say now. */
export const withNotes = (
  state: RunState,
  role: string,
  { keep, reset }: Pick<RunEvent & { type: 'notes.read' }, 'keep' | 'reset'>,
): RunState => {
  const { keep: _, ...known } = sessionOf(state, role)
  return {
    ...state,
    sessions: { ...state.sessions, [role]: { ...known, ...(keep === null ? {} : { keep }), reset } },
  }
}
