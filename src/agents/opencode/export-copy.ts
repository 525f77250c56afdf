import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cli } from './cli.ts'
import { listSessions } from './database.ts'
import { type Exported, exportSession, type NoExport } from './export.ts'
import { inScratch } from './scratch.ts'
import { databaseFile } from './store.ts'

/** A larger database is not copied: one waits for it. */
const mostBytes = 256 * 1024 * 1024

type Program = Pick<Cli, 'program' | 'env'>

/**
 * Hands over OpenCode on a copy of its database, in a folder that is gone afterwards: its commands write to the store that they look
 * into, and into the repository. Undefined when the database is too large.
 */
const onCopy = async <T>(
  { program, env }: Program,
  use: (cli: Cli) => Promise<T>,
): Promise<T | undefined> => {
  const database = databaseFile(env)
  const size = await stat(database).then(
    (found) => found.size,
    () => mostBytes,
  )
  if (size >= mostBytes) return undefined
  return inScratch(async (root) => {
    const copy = join(root, 'opencode.db')
    await copyFile(database, copy)
    // What is not yet in the database itself; there is none after a clean end.
    await copyFile(`${database}-wal`, `${copy}-wal`).catch(() => {})
    return use({
      program,
      cwd: root,
      env: { ...env, OPENCODE_DB: copy, XDG_DATA_HOME: root, XDG_STATE_HOME: root },
      launch: (command) => command,
    })
  })
}

const exportIn = (cli: Cli, id: string): Promise<Exported | NoExport> =>
  exportSession(cli, id, join(cli.cwd, 'answer.json'))

/** Exports a session without a change to the store. */
export const exportFromCopy = async (at: Program, id: string): Promise<Exported | NoExport> =>
  (await onCopy(at, (cli) => exportIn(cli, id))) ?? {
    code: 'export',
    reason: `${databaseFile(at.env)} is too large to be copied.`,
  }

/** The newest session of a folder, without a change to the store. Undefined when there is none that can be read at once. */
export const newestSession = (
  at: Program,
  folder: string,
): Promise<{ readonly id: string; readonly exported: unknown } | undefined> =>
  onCopy(at, async (cli) => {
    // A look into the database itself would touch the files beside it.
    const [id] = await listSessions(folder, cli.env)
    if (id === undefined) return undefined
    const exported = await exportIn(cli, id)
    return 'text' in exported ? { id, exported: exported.json } : undefined
  })
