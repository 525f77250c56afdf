import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Cli } from './cli.ts'
import { exportSession } from './export.ts'
import { query, quoted } from './query.ts'
import { inScratch } from './scratch.ts'
import { databaseFile } from './store.ts'

/** A larger database is not copied: one waits for it. */
const mostBytes = 256 * 1024 * 1024

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
    const answer = join(root, 'answer.json')
    const sql = `SELECT id FROM session WHERE directory = ${quoted(folder)} AND parent_id IS NULL ORDER BY time_updated DESC, rowid DESC LIMIT 1`
    const id = (await query(cli, sql, v.object({ id: v.string() }), answer))[0]?.id
    if (id === undefined) return undefined
    const exported = await exportSession(cli, id, answer)
    return { id, exported: 'json' in exported ? exported.json : undefined }
  })
}
