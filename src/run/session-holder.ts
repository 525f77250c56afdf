import { existsSync } from 'node:fs'
import { loopFolder, runFolder } from './folder.ts'
import { readJournal } from './journal.ts'
import { extendLineage } from './lineage.ts'
import { type Holder, isAlive, readHolder } from './lock.ts'

/** The yoke that carries on a run in one of these projects and whose next turn goes on with the session. */
export const holderOfSession = async (
  session: string,
  projects: readonly string[],
): Promise<Holder | undefined> => {
  for (const loop of projects.map(loopFolder)) {
    const holder = await readHolder(loop.lock)
    if (holder === undefined || !isAlive(holder)) continue
    const { events } = runFolder(loop, holder.run)
    // One that has just begun has no session yet.
    if (!existsSync(events)) continue
    const lineage = readJournal(events).reduce(extendLineage, {})
    if (Object.values(lineage).some((sessions) => sessions.at(-1)?.id === session)) return holder
  }
  return undefined
}
