import type { Role } from '../../agents/agent.ts'
import { openingWords } from '../../loop/prompts.ts'
import { unlessWorker } from '../../loop/session.ts'
import { playerOf, type RunContext } from '../context.ts'
import { setAside } from './set-aside.ts'

/**
 * Leaves a session that has lost what it began with, before its next turn is paid for: the agent would go on without its task, and say
 * nothing. Resolves to whether it was left; the same turn begins a fresh one then.
 */
export const leaveLost = async (context: RunContext, role: Role, session: string): Promise<boolean> => {
  const { cast, env, project, record } = context
  const reason = await playerOf(cast, role).agent.lostBeginning?.(session, project, env, openingWords)
  if (reason === undefined) return false
  record({ type: 'session.stale', ...unlessWorker(role), session, reason })
  await setAside(context, session)
  return true
}
