import type { Directives } from '../task/directives.ts'
import { agentOf } from '../task/roles.ts'
import type { Cast, InstalledAgent } from './context.ts'

/** Finds an agent by its name. Throws `E_NO_AGENT`, `E_NOT_LOGGED_IN`, `E_AGENT_RELEASE`. */
export type FindAgent = (name: string, directives: Directives) => Promise<InstalledAgent>

/** Finds the agents that a run needs, each once, the worker's first. */
export const castOf = async (
  find: FindAgent,
  directives: Directives,
  kind: 'brute' | 'saga',
): Promise<Cast> => {
  const worker = await find(directives.agent, directives)
  const other = (name: string) => (name === directives.agent ? worker : find(name, directives))
  const judge = directives.judge === 'off' ? worker : await other(agentOf(directives, 'judge'))
  const planner = agentOf(directives, 'scoper')
  if (kind === 'brute') return { worker, judge, scoper: worker }
  return { worker, judge, scoper: planner === judge.agent.name ? judge : await other(planner) }
}
