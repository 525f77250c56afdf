import { copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { type Cli, runCli } from './cli.ts'
import { databaseFile } from './store.ts'

/** A larger database is not copied: one waits for it. */
const mostBytes = 256 * 1024 * 1024

const RowsSchema = v.array(v.object({ id: v.string() }))

/**
 * The newest session of a folder, exported from a copy of the database: the commands of OpenCode write to the store that they look
 * into, and into the repository. Undefined when there is none, and when this release cannot tell (before 1.2.27).
 */
export const newestSession = async (
  { program, env }: Pick<Cli, 'program' | 'env'>,
  folder: string,
): Promise<{ readonly id: string; readonly exported: unknown } | undefined> => {
  const database = databaseFile(env)
  const size = await stat(database).then(
    (found) => found.size,
    () => mostBytes,
  )
  if (size >= mostBytes) return undefined
  const root = await mkdtemp(join(tmpdir(), 'yoke-opencode-'))
  try {
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
    const ask = async (...args: readonly string[]): Promise<unknown> => {
      const file = join(root, 'answer.json')
      const failure = await runCli(cli, args, file)
      if (failure !== undefined) return undefined
      try {
        return JSON.parse(await readFile(file, 'utf8'))
      } catch {
        // A release that takes the command for something else.
        return undefined
      }
    }
    const sql = `SELECT id FROM session WHERE directory = '${folder.replaceAll("'", "''")}' AND parent_id IS NULL ORDER BY time_updated DESC, rowid DESC LIMIT 1`
    const rows = v.safeParse(RowsSchema, await ask('db', sql, '--format', 'json'))
    const id = rows.success ? rows.output[0]?.id : undefined
    return id === undefined ? undefined : { id, exported: await ask('export', id) }
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}
