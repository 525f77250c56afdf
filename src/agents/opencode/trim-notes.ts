import { writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { processEntries, thisProcess } from '../../system/lock-file.ts'
import { processStart } from '../../system/process-start.ts'
import { parseJson } from './export.ts'

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

/** Who imports, as far as it is written down. */
export const importers = async (backup: string): Promise<Partial<v.InferOutput<typeof ProcessesSchema>>> => {
  const noted = await readFile(importFiles(backup).processes, 'utf8').catch(() => '')
  const read = v.safeParse(ProcessesSchema, parseJson(noted))
  return read.success ? read.output : {}
}

/** Writes down who imports: this yoke, and OpenCode once it was started. */
export const noteImport = (backup: string, pid?: number): void => {
  const started = pid === undefined ? {} : { import: { pid, start: processStart(pid) ?? '' } }
  writeFileSync(importFiles(backup).processes, JSON.stringify({ yoke: thisProcess(), ...started }))
}
