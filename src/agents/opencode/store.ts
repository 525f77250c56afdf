import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { isSessionId } from './ids.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where OpenCode keeps sessions, logins and logs, on every system. */
export const dataFolder = (env: Env): string =>
  join(env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share'), 'opencode')

/**
 * The file that holds the session: one database for all (1.2.1 and later), before that a JSON file a session. Undefined when there is
 * none. Whether the database knows the session is told by an export.
 */
export const findSession = async (id: string, _cwd: string, env: Env): Promise<string | undefined> => {
  if (!isSessionId(id)) return undefined
  const database = databaseFile(env)
  return (await isFile(database)) ? database : findSessionFile(id, env)
}

/** The JSON file that a release before 1.2.1 kept of a session. Releases up to 1.2.27 take it over into a new database, 1.18.33 does not. */
export const findSessionFile = async (id: string, env: Env): Promise<string | undefined> => {
  const sessions = join(dataFolder(env), 'storage', 'session')
  for (const project of await readdir(sessions).catch(() => [])) {
    const file = join(sessions, project, `${id}.json`)
    if (await isFile(file)) return file
  }
  return undefined
}

/** The database of all sessions, since 1.2.1. */
export const databaseFile = (env: Env): string => {
  const named = env['OPENCODE_DB'] || 'opencode.db'
  return isAbsolute(named) ? named : join(dataFolder(env), named)
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() === true
