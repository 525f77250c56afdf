import { copyFile, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { slug } from './slug.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where Claude Code keeps its sessions, settings and login. */
export const configFolder = (env: Env): string =>
  (env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude')).normalize('NFC')

/** Holds one folder of session files for each project. */
export const projectsFolder = (env: Env): string => join(configFolder(env), 'projects')

/** Holds `<pid>.json` for each running CLI, and secrets of theirs: read nothing else there. */
export const registryFolder = (env: Env): string => join(configFolder(env), 'sessions')

/** Where the sessions of the project at `cwd` should be. `cwd` may lead there by symbolic links. */
export const sessionFolder = async (cwd: string, env: Env): Promise<string> =>
  join(projectsFolder(env), env['CLAUDE_CODE_PROJECT_DIR_NAME'] || slug(await realpath(cwd).catch(() => cwd)))

/**
 * The file of the session with this id, or undefined when there is none. The folder of `cwd` is only the first guess: a
 * project that was moved, or is reached by another path, has its sessions elsewhere. Of several the newest counts.
 */
export const findSession = async (id: string, cwd: string, env: Env): Promise<string | undefined> => {
  if (!/^[\w-]+$/.test(id)) return undefined
  const guess = join(await sessionFolder(cwd, env), `${id}.jsonl`)
  if ((await changedAt(guess)) !== undefined) return guess
  const projects = projectsFolder(env)
  const folders = await readdir(projects).catch(() => [])
  const found: { readonly file: string; readonly at: number }[] = []
  for (const folder of folders) {
    const file = join(projects, folder, `${id}.jsonl`)
    const at = await changedAt(file)
    if (at !== undefined) found.push({ file, at })
  }
  return found.sort((a, b) => b.at - a.at)[0]?.file
}

/** Undefined unless it is a file. */
const changedAt = async (file: string): Promise<number | undefined> => {
  const found = await stat(file).catch(() => undefined)
  return found?.isFile() ? found.mtimeMs : undefined
}

/** Moves the session's file, which is never deleted: the user may want to look why it could not go on. */
export const setAside = async (id: string, cwd: string, env: Env, target: string): Promise<void> => {
  const file = await findSession(id, cwd, env)
  if (file === undefined) return
  await mkdir(dirname(target), { recursive: true })
  await rename(file, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    await copyFile(file, target)
    await rm(file)
  })
}
