import { readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readIfThere } from '../../system/read-if-there.ts'
import { type Cli, runCli } from './cli.ts'
import { exportSession, readExport } from './export.ts'
import type { Session } from './session-schema.ts'
import { importFiles, originFile } from './trim-notes.ts'
import { holdsMore } from './verify.ts'

/** `kept`: it is somebody's. `failed`: it is written down, and the next trim tries again. */
export type TakenAway = 'gone' | 'kept' | 'failed'

/**
 * Takes a session away that a trim made or left behind, and what is known of where it came from; unless it holds more than yoke has of it,
 * because somebody has restored it or gone on with it: then it is nobody's but theirs.
 */
export const takeAway = async (cli: Cli, id: string, backup: string): Promise<TakenAway> => {
  const folder = dirname(backup)
  const found = await exportSession(cli, id, importFiles(backup).log)
  if ('session' in found && isSomebodys(folder, id, found.session)) {
    await forget(folder, id)
    return 'kept'
  }
  if ('session' in found) return deleteSession(cli, id, backup)
  if (found.code === 'export') return noteUndeleted(folder, id)
  await forget(folder, id)
  return 'gone'
}

/** Deletes a session in which nobody can have worked. */
export const deleteSession = async (cli: Cli, id: string, backup: string): Promise<'gone' | 'failed'> => {
  const folder = dirname(backup)
  const { log } = importFiles(backup)
  const failure = await runCli(cli, ['session', 'delete', id], log)
  await rm(log, { force: true })
  if (failure !== undefined && !/session not found/i.test(failure)) return noteUndeleted(folder, id)
  await forget(folder, id)
  return 'gone'
}

/** Tries again what could not be deleted, until that fails again; the sessions that are left to those who went on with them. */
export const takeAwayFailed = async (cli: Cli, backup: string): Promise<readonly string[]> => {
  const kept: string[] = []
  for (const name of await readdir(dirname(backup))) {
    const id = /^(ses_\w+)\.undeleted$/.exec(name)?.[1]
    const became = id === undefined ? undefined : await takeAway(cli, id, backup)
    if (became === 'failed') break
    if (became === 'kept' && id !== undefined) kept.push(id)
  }
  return kept
}

/** Beside the backups: of a session that could not be deleted. */
const undeletedFile = (folder: string, id: string): string => join(folder, `${id}.undeleted`)

/** Beside the backups: of a session that a person has restored. */
const restoredFile = (folder: string, id: string): string => join(folder, `${id}.restored`)

/** A session that a person wants again is not to be deleted. */
export const keepSession = async (id: string, backup: string): Promise<void> => {
  const folder = dirname(backup)
  await writeFile(restoredFile(folder, id), '')
  await rm(undeletedFile(folder, id), { force: true })
}

/** So that the next trim tries again. */
export const noteUndeleted = async (folder: string, id: string): Promise<'failed'> => {
  await writeFile(undeletedFile(folder, id), '')
  return 'failed'
}

const forget = async (folder: string, id: string): Promise<void> => {
  await Promise.all(
    [originFile, undeletedFile, restoredFile].map((file) => rm(file(folder, id), { force: true })),
  )
}

/**
 * Whether a person has restored a session, or it holds more than its backup; one that has none, more than the trim that made it left in it:
 * a single prompt.
 */
const isSomebodys = (folder: string, id: string, found: Session | string): boolean => {
  if (typeof found === 'string' || readIfThere(restoredFile(folder, id)) !== undefined) return true
  const copy = readIfThere(join(folder, `${id}.bak`))
  if (copy === undefined) {
    const isOfTrim = readIfThere(originFile(folder, id)) !== undefined
    return !isOfTrim || found.messages.filter(({ info }) => info.role === 'user').length > 1
  }
  const { session } = readExport(copy.toString('utf8'))
  return typeof session === 'string' || holdsMore(found, session)
}
