import type { Role } from '../../agents/agent.ts'
import { sessionOf } from '../../loop/session.ts'
import { playerOf, type RunContext } from '../context.ts'

/**
 * Has the agent's session gone through as the trim will do, while the agent is on its way out: a program that has waited for
 * seconds is slow at first, and between its result and its exit Claude Code takes some 40 ms (2.1.332).
 */
export const trimRehearsal = ({ cast, project, env, directives, state }: RunContext, role: Role) => {
  const { agent } = playerOf(cast, role)
  const enough = new AbortController()
  let going: Promise<void> | undefined
  const rehearse = async (session: string): Promise<void> => {
    const file = await agent.findSession(session, project, env)
    if (file === undefined || enough.signal.aborted) return
    const { keep = [] } = sessionOf(state(), role)
    await agent.rehearseTrim?.(
      { file, keep, cwd: project, staleReads: directives['stale-reads'], env },
      enough.signal,
    )
  }
  return {
    begin: (session: string): void => {
      if (!directives.trim) return
      // Whatever is wrong with the session, the trim will say so.
      going ??= rehearse(session).catch(() => undefined)
    },
    end: async (): Promise<void> => {
      enough.abort()
      await going
    },
  }
}
