import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cli } from './cli.ts'
import { listSessions } from './database.ts'
import { type Exported, exportSession, type NoExport } from './export.ts'
import { inScratch } from './scratch.ts'
import { databaseFile } from './store.ts'

/** A larger database is not copied: one waits for it. */
const mostBytes = 256 * 1024 * 1024

/**
 * Exports a session from a copy of the database: the commands of OpenCode write to the store that they look into, and into the
 * repository.
 */
export const exportFromCopy = async (
  { program, env }: Pick<Cli, 'program' | 'env'>,
  id: string,
): Promise<Exported | NoExport> => {
  const database = databaseFile(env)
  const { size } = await stat(database)
  if (size >= mostBytes) return { code: 'export', reason: `${database} is too large to be copied.` }
  return inScratch(async (root) => {
    const copy = join(root, 'opencode.db')
    await copyFile(database, copy)
    // What is not yet in the database itself; there is none after a clean end.
    await copyFile(`${database}-wal`, `${copy}-wal`).catch(() => {})
    const cli: Cli = {
      program,
      cwd: root,
      env: { ...env, OPENCODE_DB: copy, XDG_DATA_HOME: root, XDG_STATE_HOME: root },
      launch: (command) => command,
    }
    return exportSession(cli, id, join(root, 'answer.json'))
  })
}

/** The newest session of a folder, without a change to anything. Undefined when there is none that can be read at once. */
export const newestSession = async (
  cli: Pick<Cli, 'program' | 'env'>,
  folder: string,
): Promise<{ readonly id: string; readonly exported: unknown } | undefined> => {
  const [id] = await listSessions(folder, cli.env)
  if (id === undefined) return undefined
  const exported = await exportFromCopy(cli, id)
  return 'text' in exported ? { id, exported: exported.json } : undefined
}
