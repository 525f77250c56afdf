import { agentByName } from '../agents/registry.ts'
import type { StoredRun } from '../run/open-run.ts'
import { agentOf } from '../task/roles.ts'
import { newestOf, streamFile } from './agent-log.ts'
import { lastLines } from './tail.ts'

/** What the agent that runs has done last, from the end of its event stream. */
export const doingNow = ({ folder, events, begin, directives, saga }: StoredRun): string | undefined => {
  const start = events.findLast(({ type }) => type === 'agent.started' || type === 'agent.finished')
  if (start?.type !== 'agent.started') return undefined
  const agent = agentByName(agentOf(directives, start.role))
  const lines = lastLines(streamFile(folder, start, (saga?.cycle ?? 0) + 1))
  const doing = newestOf(lines.flatMap(agent.parseLine), begin.cwd)
  return `${start.role}${doing === undefined ? '' : `: ${doing}`}`
}
