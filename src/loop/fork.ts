import type { Directives } from '../task/directives.ts'
import type { RoleSession } from './state.ts'

/** Why the next turn of a role leaves its session and starts a fresh one, or undefined when it goes on (§3.5). */
export const forkReason = (session: RoleSession, directives: Directives): string | undefined => {
  if (session.id === undefined) return undefined
  if (session.reset) return 'the notes ask for it (RESET: TRUE)'
  const every = directives['context-fork-every']
  if (every !== undefined && session.turns >= every)
    return `the session has lasted ${session.turns} turns (context-fork-every: ${every})`
  const over = directives['context-fork-over']
  if (over !== undefined && session.tokens > over)
    return `the session holds about ${session.tokens} tokens (context-fork-over: ${over})`
  return undefined
}
