import { readdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { originFile } from '../agents/opencode/restore.ts'
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

/** The session of OpenCode that a run in this project trimmed to this one. */
export const trimmedFrom = async (id: string, project: string): Promise<string | undefined> => {
  const loop = loopFolder(project)
  const runs = await readdir(loop.runs).catch(() => [])
  const notes = runs.map((run) => originFile(runFolder(loop, run).backups, id))
  const origins = await Promise.all(notes.map((note) => readFile(note, 'utf8').catch(() => '')))
  return origins.find((origin) => /^ses_\w+$/.test(origin))
}

/** The newest backup of a session: of `yoke trim`, or of a run in this project. */
export const newestBackup = async (id: string, project: string, env: Env): Promise<string | undefined> => {
  const loop = loopFolder(project)
  const runs = await readdir(loop.runs).catch(() => [])
  const candidates = [
    backupFile(id, env),
    ...runs.map((run) => join(runFolder(loop, run).backups, `${id}.bak`)),
  ]
  const dated = await Promise.all(
    candidates.map(async (file) => ({ file, at: (await stat(file).catch(() => undefined))?.ctimeMs })),
  )
  return dated
    .filter((each): each is { file: string; at: number } => each.at !== undefined)
    .sort((a, b) => b.at - a.at)[0]?.file
}
