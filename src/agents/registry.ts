import { closest, distance } from 'fastest-levenshtein'
import { exitCode, YokeError } from '../errors.ts'
import type { Agent } from './agent.ts'
import { claude } from './claude/claude.ts'
import { opencode } from './opencode/opencode.ts'

const agents: readonly Agent[] = [claude, opencode]

export const agentNames: readonly string[] = agents.map(({ name }) => name)

/** Throws `E_UNKNOWN_AGENT`, which names the agents that yoke knows. */
export const agentByName = (name: string): Agent => {
  const agent = agents.find((each) => each.name === name)
  if (agent !== undefined) return agent
  const near = closest(name, [...agentNames])
  throw new YokeError(
    'E_UNKNOWN_AGENT',
    `There is no agent "${name}".`,
    `${distance(name, near) <= 3 ? `Did you mean \`${near}\`? ` : ''}Set \`agent\` to one of: ${agentNames.join(', ')}.`,
    exitCode.usage,
  )
}

/** Ids of the sessions of a project, of all agents. */
export const listSessions: Agent['listSessions'] = async (cwd, env) =>
  (await Promise.all(agents.map((agent) => agent.listSessions(cwd, env)))).flat()

/** The agent of a session that somebody named by an id or a file. */
export const agentOfSession = async (named: string, cwd: string): Promise<Agent> => {
  for (const agent of agents) if (await agent.ownsSession?.(named, cwd)) return agent
  return claude
}
