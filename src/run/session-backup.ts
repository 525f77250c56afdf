import { readdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { isSessionId } from '../agents/opencode/ids.ts'
import { originFile } from '../agents/opencode/trim-notes.ts'
import { loopFolder, runFolder } from './folder.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where `yoke trim` keeps what a session was: outside of the agent's folder, whose sweep would take it along. */
export const backupFile = (id: string, env: Env): string => {
  const state = env['XDG_STATE_HOME']
  const home = env['HOME'] || env['USERPROFILE'] || homedir()
  return join(
    state !== undefined && isAbsolute(state) ? state : join(home, '.local', 'state'),
    'yoke',
    'backups',
    `${id}.bak`,
  )
}

/** The session of OpenCode that `yoke trim`, or a run in this project, trimmed to this one. */
const trimmedFrom = async (id: string, project: string, env: Env): Promise<string | undefined> => {
  const folders = [dirname(backupFile(id, env)), ...(await runBackups(project))]
  const origins = await Promise.all(
    folders.map((folder) => readFile(originFile(folder, id), 'utf8').catch(() => '')),
  )
  return origins.find(isSessionId)
}

/**
 * The sessions of OpenCode that were trimmed, by their id before that or the one after it, or the beginning of either: a whole id
 * is that of one session.
 */
export const trimmedSessions = async (
  named: string,
  project: string,
  env: Env,
): Promise<readonly string[]> => {
  const folders = [dirname(backupFile(named, env)), ...(await runBackups(project))]
  const names = (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat()
  const ids = names
    .flatMap((name) => /^(ses_\w+)\.(?:bak|origin)$/.exec(name)?.[1] ?? [])
    .filter((id) => id.startsWith(named))
  const meant = ids.includes(named) ? [named] : ids
  const before = await Promise.all(meant.map(async (id) => (await trimmedFrom(id, project, env)) ?? id))
  return [...new Set(before)]
}

const runBackups = async (project: string): Promise<readonly string[]> => {
  const loop = loopFolder(project)
  const runs = await readdir(loop.runs).catch(() => [])
  return runs.map((run) => runFolder(loop, run).backups)
}

/** The newest backup of a session: of `yoke trim`, or of a run in this project. */
export const newestBackup = async (id: string, project: string, env: Env): Promise<string | undefined> => {
  const candidates = [
    backupFile(id, env),
    ...(await runBackups(project)).map((folder) => join(folder, `${id}.bak`)),
  ]
  const dated = await Promise.all(
    candidates.map(async (file) => ({ file, at: (await stat(file).catch(() => undefined))?.ctimeMs })),
  )
  return dated
    .filter((each): each is { file: string; at: number } => each.at !== undefined)
    .sort((a, b) => b.at - a.at)[0]?.file
}
