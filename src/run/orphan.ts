import type { RunEvent } from '../events.ts'
import { processStart } from '../system/process-start.ts'
import { type LoopFolder, listRuns, runFolder } from './folder.ts'
import { readJournal } from './journal.ts'
import { endProcessTree } from './process-tree.ts'

/** Ends an agent that outlived its yoke: it would write into the session and the tree behind the next one's back (§5.3). */
export const endOrphan = async (events: readonly RunEvent[]): Promise<void> => {
  const last = unfinishedStart(events)
  if (last === undefined || last.pidStart === '') return
  if (processStart(last.pid) === last.pidStart) await endProcessTree(last.pid)
}

/** The start of an agent whose end is not in the log. */
export const unfinishedStart = (
  events: readonly RunEvent[],
): (RunEvent & { type: 'agent.started' }) | undefined => {
  const last = events.findLast((event) => agentTypes.has(event.type))
  return last?.type === 'agent.started' ? last : undefined
}

const agentTypes: ReadonlySet<string> = new Set(['agent.started', 'agent.finished', 'agent.lost'])

/** The same for the newest run of a project, before another one begins. A log that cannot be read names no agent. */
export const endOrphanOfNewestRun = async (loop: LoopFolder): Promise<void> => {
  const newest = (await listRuns(loop)).at(-1)
  if (newest !== undefined) await endOrphan(eventsOf(runFolder(loop, newest).events))
}

const eventsOf = (file: string): readonly RunEvent[] => {
  try {
    return readJournal(file)
  } catch {
    return []
  }
}
