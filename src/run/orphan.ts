import type { RunEvent } from '../events.ts'
import { processStart } from '../system/process-start.ts'
import { endProcessTree } from './process-tree.ts'

/** Ends an agent that outlived its yoke: it would write into the session and the tree behind the next one's back (§5.5). */
export const endOrphan = async (events: readonly RunEvent[]): Promise<void> => {
  const last = events.findLast((event) => event.type === 'agent.started' || event.type === 'agent.finished')
  if (last?.type !== 'agent.started' || last.pidStart === '') return
  if (processStart(last.pid) === last.pidStart) await endProcessTree(last.pid)
}
