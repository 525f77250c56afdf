import { readFile, rm } from 'node:fs/promises'
import { isRunning } from '../../system/lock-file.ts'
import { processStart } from '../../system/process-start.ts'
import { type Cli, killGroup } from './cli.ts'
import { readExport } from './export.ts'
import { takeAway, takeAwayFailed } from './take-away.ts'
import { importers, importFiles } from './trim-notes.ts'

/**
 * Takes back a trim whose yoke was killed during the import, if there was one: its import would go on storing behind this one's back,
 * and what it has stored is known to nobody. Then what could not be deleted until now. Resolves to the sessions that are left because
 * somebody has gone on with them.
 */
export const endCutOff = async (cli: Cli, backup: string): Promise<readonly string[]> => {
  const files = importFiles(backup)
  const { yoke, import: importing } = await importers(backup)
  if (yoke !== undefined && isRunning(yoke)) return []
  const failedBefore = await takeAwayFailed(cli, backup)
  if (importing?.start && processStart(importing.pid) === importing.start) killGroup(importing.pid)
  const { session } = readExport(await readFile(files.session, 'utf8').catch(() => ''))
  const isKept = typeof session !== 'string' && (await takeAway(cli, session.info.id, backup)) === 'kept'
  await Promise.all(Object.values(files).map((each) => rm(each, { force: true })))
  return isKept ? [...failedBefore, session.info.id] : failedBefore
}
