import { writeFileSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { isRunning, processEntries, thisProcess } from '../../system/lock-file.ts'
import { processStart } from '../../system/process-start.ts'
import { type Cli, killGroup, runCli } from './cli.ts'
import { parseJson, readExport } from './export.ts'

/** Beside the backups: a file that holds the id of the session that this one was trimmed from. */
export const originFile = (backups: string, id: string): string => join(backups, `${id}.origin`)

/** The sessions that a session was trimmed to. */
export const trimmedTo = async (backups: string, session: string): Promise<readonly string[]> => {
  const ids = (await readdir(backups)).flatMap((name) => /^(ses_\w+)\.origin$/.exec(name)?.[1] ?? [])
  const origins = await Promise.all(
    ids.map((id) => readFile(originFile(backups, id), 'utf8').catch(() => '')),
  )
  return ids.filter((_, index) => origins[index] === session)
}

/** Beside the backup, while an import is under way: what is imported, by which processes, and what OpenCode says. */
export const importFiles = (backup: string) => ({
  session: `${backup}.import.json`,
  processes: `${backup}.import.pid`,
  log: `${backup}.import.log`,
})

const ProcessesSchema = v.object({
  yoke: v.object(processEntries),
  import: v.optional(v.object(processEntries)),
})

/** Writes down who imports: this yoke, and OpenCode once it was started. */
export const noteImport = (backup: string, pid?: number): void => {
  const started = pid === undefined ? {} : { import: { pid, start: processStart(pid) ?? '' } }
  writeFileSync(importFiles(backup).processes, JSON.stringify({ yoke: thisProcess(), ...started }))
}

/**
 * Takes back a trim whose yoke was killed during the import, if there was one: its import would go on storing behind this one's back,
 * and what it has stored is known to nobody.
 */
export const endCutOff = async (cli: Cli, backup: string): Promise<void> => {
  const files = importFiles(backup)
  const noted = v.safeParse(ProcessesSchema, parseJson(await textOf(files.processes)))
  const { yoke, import: importing } = noted.success ? noted.output : {}
  if (yoke !== undefined && isRunning(yoke)) return
  if (importing?.start && processStart(importing.pid) === importing.start) killGroup(importing.pid)
  const { session } = readExport(await textOf(files.session))
  if (typeof session !== 'string') await removeSession(cli, session.info.id, backup)
  await Promise.all(Object.values(files).map((each) => rm(each, { force: true })))
}

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Takes a session away that a trim made or left behind, and what is known of where it came from. */
export const removeSession = async (cli: Cli, id: string, backup: string): Promise<void> => {
  const { log } = importFiles(backup)
  await runCli(cli, ['session', 'delete', id], log)
  await Promise.all([originFile(dirname(backup), id), log].map((each) => rm(each, { force: true })))
}
