import { open, readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { exitCode, YokeError } from '../../errors.ts'
import { ambiguous, type Located } from '../named-session.ts'
import { configFolder } from './session-file.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Finds a session by its file, its id or the beginning of its id. The file name is the id; which project a session
 * belongs to is told by the `cwd` in its records, since distinct paths can share a folder
 * (anthropics/claude-code#70076) and renamed projects keep their old one (#43202). Throws `E_NO_SESSION` (exit 2).
 */
export const locateSession = async (target: string, cwd: string, env: Env): Promise<Located> => {
  const named = resolve(cwd, target)
  const kind = await stat(named).catch(() => undefined)
  if (kind?.isFile()) return located(await realpath(named), configOf(named), [])
  const found = (await Promise.all(configFolders(cwd, env).map((config) => search(config, target)))).flat()
  const here = await realpath(cwd)
  const mine = found.filter(({ cwds }) => cwds.includes(here))
  const choices = mine.length > 0 ? mine : found
  const [only] = choices
  if (only !== undefined && choices.length === 1)
    return { ...only, remarks: [...only.remarks, ...remarksOn(only, found, here)] }
  if (only !== undefined)
    throw ambiguous(
      target,
      choices.map(({ file }) => file),
      'Name the file.',
    )
  throw kind === undefined ? unknown(target, cwd, env) : noFile(named, kind.isDirectory())
}

/**
 * Sessions may lie in the folder that the environment names and in the usual one, from a time when it named none; those of runs in
 * containers lie in the project.
 */
const configFolders = (cwd: string, env: Env): readonly string[] => [
  ...new Set([
    configFolder(env),
    join(env['HOME'] || homedir(), '.claude').normalize('NFC'),
    join(cwd, '.loop', 'agent-home'),
  ]),
]

const search = async (config: string, target: string): Promise<readonly Located[]> => {
  if (!/^[\w-]{4,}$/.test(target)) return []
  const projects = join(config, 'projects')
  const folders = await readdir(projects).catch(() => [])
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(projects, folder)).catch(() => []))
        .filter((name) => name.endsWith('.jsonl') && name.startsWith(target))
        .map((name) => join(projects, folder, name)),
    ),
  )
  return Promise.all(names.flat().map((file) => located(file, config, [])))
}

const located = async (file: string, config: string, remarks: readonly string[]): Promise<Located> => ({
  file,
  id: basename(file, '.jsonl'),
  config,
  cwds: await foldersIn(file),
  remarks,
})

/** The CLI's folder above `projects/<slug>/<id>.jsonl`. */
const configOf = (file: string): string => resolve(file, '..', '..', '..')

/** Enough for the records that a session begins with, whose first line can be large. */
const lookedAt = 1 << 20

/** The working folders that the records at the beginning of a session name. */
export const foldersIn = async (file: string): Promise<readonly string[]> => {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(lookedAt), 0, lookedAt, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    const found = [...text.matchAll(/"cwd":("(?:[^"\\]|\\.)*")/g)].map(([, json = '""']) =>
      String(JSON.parse(json)),
    )
    return [...new Set(found)]
  } finally {
    await handle.close()
  }
}

const remarksOn = (chosen: Located, found: readonly Located[], here: string): readonly string[] => [
  ...(chosen.cwds.includes(here) || chosen.cwds.length === 0
    ? []
    : [
        `Its records name ${chosen.cwds.join(', ')}, not this folder: the project was moved, or it is another one.`,
      ]),
  ...found
    .filter(({ file }) => file !== chosen.file)
    .map(({ file }) => `There is another session with this id: ${file}.`),
]

const unknown = (target: string, cwd: string, env: Env): YokeError =>
  new YokeError(
    'E_NO_SESSION',
    `There is no session "${target}", neither as a file below ${cwd} nor in ${configFolders(cwd, env).join(' or ')}.`,
    'Name the session file or its id; `yoke status` shows the id of a run.',
    exitCode.usage,
  )

const noFile = (path: string, isFolder: boolean): YokeError =>
  new YokeError(
    'E_NO_SESSION',
    `${path} is ${isFolder ? 'a folder' : 'no regular file'}, not a session file.`,
    'Name the session file or its id; `yoke status` shows the id of a run.',
    exitCode.usage,
  )
