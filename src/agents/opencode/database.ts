import { realpath, stat } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import { databaseFile } from './store.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The rows that a statement gives for a value in it. */
export type Rows = (sql: string, value: string) => readonly unknown[]

/**
 * Looks into the database of all sessions, and only that: reading takes milliseconds where a command of OpenCode takes a second, and the
 * tables have been the same since 1.2.1 (1.18.33). Throws where it cannot be read.
 */
export const lookIntoDatabase = async <T>(file: string, look: (rows: Rows) => T): Promise<T> => {
  // The compiled program has it; Node has since 22.
  const { DatabaseSync } = await import('node:sqlite')
  const url = pathToFileURL(file)
  // Without a log beside it, nobody is writing, and a look is to leave no files there.
  if ((await stat(`${file}-wal`).catch(() => undefined)) === undefined) url.searchParams.set('immutable', '1')
  const database = new DatabaseSync(url, { readOnly: true })
  try {
    return look((sql, value) => database.prepare(sql).all(value))
  } finally {
    database.close()
  }
}

const SessionsSchema = v.array(v.object({ id: v.string(), directory: v.string() }))

/** Ids of the sessions that began in a folder, the newest first, without those of subagents; none where it cannot be told. */
export const listSessions = async (cwd: string, env: Env): Promise<readonly string[]> => {
  // A trimmed session is as old as the one that it was made of, and stored after it.
  const sql =
    'SELECT id, directory FROM session WHERE directory = ? AND parent_id IS NULL ORDER BY time_updated DESC, rowid DESC LIMIT 100'
  return (await sessionsBy(sql, await realpath(cwd), env)).map(({ id }) => id)
}

/** The sessions whose id begins so; none where it cannot be told. */
export const sessionsBeginning = (
  beginning: string,
  env: Env,
): Promise<v.InferOutput<typeof SessionsSchema>> =>
  sessionsBy('SELECT id, directory FROM session WHERE substr(id, 1, length(?1)) = ?1', beginning, env)

const sessionsBy = async (
  sql: string,
  value: string,
  env: Env,
): Promise<v.InferOutput<typeof SessionsSchema>> => {
  try {
    return v.parse(SessionsSchema, await lookIntoDatabase(databaseFile(env), (rows) => rows(sql, value)))
  } catch {
    // None yet, or one of another make: a command of OpenCode would tell.
    return []
  }
}
