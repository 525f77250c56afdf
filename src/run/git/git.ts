import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Place } from '../../agents/agent.ts'
import { definedOf, runCommand, type ShellResult } from '../shell.ts'

type Env = Readonly<Record<string, string | undefined>>

/** `core.fsmonitor` names a program that git runs: the agent can write that file, and no one has agreed to the program. */
const guard = ['-c', 'core.fsmonitor=false'] as const

/** Set by a hook from which yoke was started: they would lead every call to another repository than that of its folder. */
const nowhere = Object.fromEntries(
  [
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_INDEX_FILE',
    'GIT_PREFIX',
    'GIT_COMMON_DIR',
    'GIT_OBJECT_DIRECTORY',
    'GIT_NAMESPACE',
  ].map((name) => [name, undefined]),
)

const execute = promisify(execFile)

/** What git prints; rejects when it fails or is not there. It takes no lock and asks nothing. */
export const readGit = (cwd: string, args: readonly string[]): Promise<string> =>
  execute('git', ['--no-optional-locks', ...guard, ...args], {
    cwd,
    env: { ...process.env, ...nowhere },
    maxBuffer: 64 * 1024 * 1024,
  }).then(({ stdout }) => stdout)

export type GitError = { readonly stderr?: string; readonly message: string }

/** What git says of its failure. */
export const saidBy = ({ stderr, message }: GitError): string => (stderr || message).trim()

/** What git prints, without the line end; undefined when it fails. */
export const askGit = (cwd: string, args: readonly string[]): Promise<string | undefined> =>
  readGit(cwd, args).then(
    (text) => text.trimEnd(),
    () => undefined,
  )

/** Changes a repository. */
export type Git = (
  args: readonly string[],
  options?: { readonly stdin?: string; readonly timeoutMs?: number },
) => Promise<ShellResult>

export type GitRequest = {
  readonly cwd: string
  readonly env: Env
  readonly signal?: AbortSignal
  /** Hooks and filters run where the agent's other programs do: it may have written them. */
  readonly place?: Pick<Place, 'launch' | 'sweep'> | undefined
  readonly timeoutMs?: number | undefined
}

/** Git as a run starts it: with explicit arguments, never through a shell, and with nobody there to answer a question. */
export const gitFor = async ({ cwd, env, place, ...options }: GitRequest): Promise<Git> => {
  const mine = place === undefined ? [] : await identity(cwd)
  return (args, { stdin = '', timeoutMs } = {}) => {
    const command = {
      file: 'git',
      args: [...guard, ...mine, ...args],
      stdin,
      env: definedOf({ ...env, ...nowhere, ...unattended }),
    }
    return runCommand(place?.launch(command) ?? command, {
      ...options,
      cwd,
      stdin,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(place === undefined ? {} : { place }),
    })
  }
}

const unattended = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  GPG_TTY: undefined,
} as const

/** The image knows nothing of the user's own configuration of git. */
const identity = async (cwd: string): Promise<readonly string[]> => {
  const keys = ['user.name', 'user.email']
  const values = await Promise.all(keys.map((key) => askGit(cwd, ['config', '--get', key])))
  return keys.flatMap((key, index) => (values[index] === undefined ? [] : ['-c', `${key}=${values[index]}`]))
}
