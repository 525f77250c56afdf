import { join } from 'node:path'
import type { RunContext } from '../context.ts'

/** Puts a session that could not go on into the run's folder; that it cannot be moved stops nothing. */
export const setAside = async (
  { cast, project, env, run, record }: RunContext,
  session: string,
): Promise<void> => {
  try {
    // Judge and scoper have no stored session.
    await cast.worker.agent.setAside?.(session, project, env, join(run.backups, `${session}.stale`))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    record({
      type: 'warning',
      code: 'W_SET_ASIDE',
      message: `The session ${session} could not be set aside: ${why}`,
    })
  }
}
