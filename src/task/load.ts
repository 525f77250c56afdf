import { readFileSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { exitCode, YokeError } from '../errors.ts'
import { errnoOf } from '../system/errno.ts'
import { readableFormat } from '../system/file-format.ts'
import type { Directives } from './directives.ts'
import { type FrontMatter, parseFrontMatter } from './front-matter.ts'
import { type Layer, type Resolved, resolveDirectives } from './resolve.ts'
import { parseMapping } from './yaml.ts'

/** A task, read and checked. */
export type Task = Resolved & {
  /** Absolute path of the task file. */
  readonly file: string
  /** The whole text of the file, without a byte order mark. */
  readonly text: string
  readonly prompt: string
  /** The text of the judge's own prompt file, when `judge` names one. */
  readonly judgePrompt?: string
}

export type TaskRequest = {
  readonly file: string
  /** Absolute path of the project. */
  readonly cwd: string
  /** Directives from the command line, by key. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
}

const maxBytes = 1024 * 1024

/**
 * Reads a task file with everything that its directives rest on. Relative paths in directives are those of the
 * project, `~/` is the home folder; the sources of mounts come out absolute.
 * Throws `E_TASK_...`, `E_CONFIG_...`, `E_JUDGE_...`, `E_PERIODIC_...`, `E_UNKNOWN_DIRECTIVE` or `E_BAD_DIRECTIVE`, each with exit code 2.
 */
export const loadTask = async ({ file, cwd, flags, env }: TaskRequest): Promise<Task> => {
  const path = resolve(cwd, file)
  const { text, ...matter } = readTask(path, file)
  const layers = [
    ...environmentLayer(env),
    { name: 'flag', where: '', values: flags },
    { name: 'front matter', where: file, values: matter.values, lines: matter.lines },
    ...(await configLayers(cwd, env)),
  ] satisfies readonly Layer[]
  const { directives, origin } = resolveDirectives(layers)
  const judgePrompt = ownJudgePrompt(directives, cwd, env)
  return {
    file: path,
    text,
    prompt: matter.prompt,
    directives: withPeriodicPrompts(withAbsoluteMounts(directives, cwd, env), cwd, env),
    origin,
    ...(judgePrompt === undefined ? {} : { judgePrompt }),
  }
}

/** A run reads its task file before and after each step that could change it, and mostly finds it as it was. */
let parsed: { readonly text: string; readonly shown: string; readonly matter: FrontMatter } | undefined

/** The text of a task file with its parts; `shown` is its name in messages. Throws `E_TASK_...`, exit code 2. */
export const readTask = (path: string, shown: string): FrontMatter & { readonly text: string } => {
  const text = readText(path, shown, 'TASK')
  const matter =
    parsed?.text === text && parsed.shown === shown ? parsed.matter : parseFrontMatter(text, shown)
  parsed = { text, shown, matter }
  if (matter.prompt.trim() !== '') return { ...matter, text }
  throw refuse(
    text.trim() === '' ? 'E_TASK_EMPTY' : 'E_TASK_NO_PROMPT',
    text.trim() === ''
      ? `The task file ${shown} is empty.`
      : `The task file ${shown} has front matter but no prompt.`,
    'Write what is to be done below the front matter; `yoke init` makes an example.',
  )
}

/** `YOKE_DISABLE_SESSION_TRIM=1` is a way to turn trimming off at once, whatever tasks and configs say. */
const environmentLayer = (env: TaskRequest['env']): readonly Layer[] => {
  const value = env['YOKE_DISABLE_SESSION_TRIM']
  const isSet = value !== undefined && !['', '0', 'false', 'off', 'no'].includes(value.toLowerCase())
  return isSet ? [{ name: 'environment', where: 'YOKE_DISABLE_SESSION_TRIM', values: { trim: 'off' } }] : []
}

/** The layers below the task: the project's `.loop/config.yaml` and the user's `config.yaml`, as far as they are there. */
export const configLayers = async (cwd: string, env: TaskRequest['env']): Promise<readonly Layer[]> => {
  const user = userConfigFile(env)
  const layers = await Promise.all([
    configLayer('project config', join(cwd, '.loop', 'config.yaml'), join('.loop', 'config.yaml')),
    configLayer('user config', user, user),
  ])
  return layers.filter((layer) => layer !== undefined)
}

/**
 * `config.yaml` in the XDG config folder. A relative `XDG_CONFIG_HOME` is ignored (XDG Base Directory
 * Specification 0.8, "Environment variables").
 */
export const userConfigFile = (env: TaskRequest['env'], platform: string = process.platform): string => {
  const xdg = env['XDG_CONFIG_HOME']
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'yoke', 'config.yaml')
  const appData = env['APPDATA']
  if (platform === 'win32' && appData) return join(appData, 'yoke', 'config.yaml')
  return join(homeOf(env), '.config', 'yoke', 'config.yaml')
}

const homeOf = (env: TaskRequest['env']): string => env['HOME'] || env['USERPROFILE'] || homedir()

const configLayer = async (name: Layer['name'], path: string, where: string): Promise<Layer | undefined> => {
  const isThere = await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  )
  if (!isThere) return undefined
  const { values, lines } = parseMapping(readText(path, where, 'CONFIG'), where)
  readableFormat(values, where)
  const { format: _, ...directives } = values
  return { name, where, values: directives, lines }
}

const ownJudgePrompt = ({ judge }: Directives, cwd: string, env: TaskRequest['env']): string | undefined => {
  if (judge === 'on' || judge === 'off') return undefined
  const text = readText(placed(judge, cwd, env), judge, 'JUDGE')
  if (text.trim() !== '') return text
  throw refuse(
    'E_JUDGE_EMPTY',
    `The judge's prompt file ${judge} is empty.`,
    'Write the prompt, or set `judge: on`.',
  )
}

/** Puts the texts of prompt files in the place of their paths: a later edit of a file changes no run under way. */
export const withPeriodicPrompts = (
  directives: Directives,
  cwd: string,
  env: TaskRequest['env'],
): Directives => ({
  ...directives,
  periodics: directives.periodics.map(({ 'prompt-file': file, ...periodic }) => {
    if (file === undefined) return periodic
    const prompt = readText(placed(file, cwd, env), file, 'PERIODIC')
    if (prompt.trim() !== '') return { ...periodic, prompt: prompt.trim() }
    throw refuse(
      'E_PERIODIC_EMPTY',
      `The prompt file ${file} of the periodic ${periodic.name} is empty.`,
      'Write the prompt, or take the periodic out.',
    )
  }),
})

export const withAbsoluteMounts = (
  directives: Directives,
  cwd: string,
  env: TaskRequest['env'],
): Directives => ({
  ...directives,
  mounts: directives.mounts.map((mount) => ({ ...mount, source: placed(mount.source, cwd, env) })),
})

const placed = (path: string, cwd: string, env: TaskRequest['env']): string =>
  /^~(?=[\\/]|$)/.test(path) ? join(homeOf(env), path.slice(1)) : resolve(cwd, path)

type Kind = 'TASK' | 'CONFIG' | 'JUDGE' | 'PERIODIC'

const noun: Readonly<Record<Kind, string>> = {
  TASK: 'task file',
  CONFIG: 'config file',
  JUDGE: "judge's prompt file",
  PERIODIC: 'prompt file of a periodic',
}

const readText = (path: string, shown: string, kind: Kind): string => {
  const what = `The ${noun[kind]} ${shown}`
  const bytes = readBytes(path, what, kind)
  const decoded = decode(bytes)
  if (decoded === undefined || decoded.includes('\0'))
    throw refuse(`E_${kind}_ENCODING`, `${what} is not UTF-8 text.`, 'Save it as UTF-8.')
  return decoded
}

/** At once: the way through the thread pool and back takes longer than such a file. */
const readBytes = (path: string, what: string, kind: Kind): Uint8Array => {
  try {
    const found = statSync(path)
    if (found.isDirectory()) throw refuse(`E_${kind}_DIRECTORY`, `${what} is a folder.`, 'Name a file in it.')
    if (!found.isFile())
      throw refuse(`E_${kind}_NOT_A_FILE`, `${what} is not a regular file.`, 'Name a regular file.')
    if (found.size > maxBytes)
      throw refuse(
        `E_${kind}_TOO_LARGE`,
        `${what} has ${found.size} bytes; 1 MiB is the most.`,
        'Move what is long into files of the project and name them.',
      )
    return readFileSync(path)
  } catch (error) {
    if (error instanceof YokeError) throw error
    const code = errnoOf(error) ?? String(error)
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw refuse(`E_${kind}_MISSING`, `${what} does not exist.`, hintWhenMissing(kind, path))
    throw refuse(
      `E_${kind}_UNREADABLE`,
      `${what} cannot be read (${code}).`,
      'Give yourself the right to read it.',
    )
  }
}

const hintWhenMissing = (kind: Kind, path: string): string =>
  kind === 'TASK'
    ? 'Check the path, or make an example with `yoke init`.'
    : `Make the file ${path}, or take the directive out.`

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const refuse = (code: `E_${string}`, message: string, fix: string) =>
  new YokeError(code, message, fix, exitCode.usage)
