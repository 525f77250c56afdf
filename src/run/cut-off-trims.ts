import { readdir } from 'node:fs/promises'
import { isSessionId } from '../agents/opencode/ids.ts'
import { isStored } from '../agents/opencode/stored-messages.ts'
import { listRuns, loopFolder, type RunFolder, runFolder } from './folder.ts'
import { readJournal } from './journal.ts'
import { isAlive, readHolder } from './lock.ts'

/**
 * What trims of this project's runs have left in OpenCode's store when yoke was killed: sessions that no run knows of. The next trim of the
 * same session takes them away, but nothing makes a person resume the run.
 */
export const cutOffTrims = async (
  project: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly { readonly run: string; readonly session: string }[]> => {
  const loop = loopFolder(project)
  const holder = await readHolder(loop.lock)
  const runs = (await listRuns(loop)).filter((id) => id !== holder?.run || !isAlive(holder))
  const left = runs.map(async (run) => {
    const unknown = await unknownTrims(runFolder(loop, run))
    const stored = await Promise.all(unknown.map((id) => isStored(id, env)))
    return unknown.filter((_, index) => stored[index]).map((session) => ({ run, session }))
  })
  return (await Promise.all(left)).flat()
}

/** Sessions of whom it is written down what they were trimmed from, and that the run has not gone on with. */
const unknownTrims = async ({ backups, events }: RunFolder): Promise<readonly string[]> => {
  const names = await readdir(backups).catch(() => [])
  const trimmed = names
    .filter((name) => name.endsWith('.origin'))
    .map((name) => name.slice(0, -'.origin'.length))
    .filter(isSessionId)
  if (trimmed.length === 0) return []
  try {
    const known = new Set(
      readJournal(events).map((event) => (event.type === 'trim.applied' ? event.newSession : undefined)),
    )
    return trimmed.filter((id) => !known.has(id))
  } catch {
    // Of a log that cannot be read, nothing can be said.
    return []
  }
}
