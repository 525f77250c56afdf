import type { Role } from '../agents/agent.ts'
import type { Directives } from './directives.ts'

type AgentKeys = Pick<Directives, 'agent' | 'judge-agent' | 'scoper-agent'>
type ModelKeys = Pick<Directives, 'model' | 'judge-model' | 'scoper-model'>

/** The name of the agent that plays a role: the worker's, unless another one is named for judge or scoper. */
export const agentOf = (directives: AgentKeys, role: Role): Directives['agent'] =>
  (role === 'judge' || role === 'scoper' ? directives[`${role}-agent`] : undefined) ?? directives.agent

/** The model of a role. Agents name models each in its own way, so that the worker's means nothing to another agent. */
export const modelOf = (directives: AgentKeys & ModelKeys, role: Role): string | undefined => {
  const own = role === 'judge' || role === 'scoper' ? directives[`${role}-model`] : undefined
  return own ?? (agentOf(directives, role) === directives.agent ? directives.model : undefined)
}
