import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import type { Launch } from '../agent.ts'
import { findExecutable } from '../find-executable.ts'
import { versionIn } from '../installed-version.ts'
import { environmentIn } from './environment.ts'

/** How a command of OpenCode is started. */
export type Cli = {
  readonly program: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly launch: Launch
}

/** What is looked for on PATH. */
export const program = { name: 'opencode', install: 'npm install -g opencode-ai' } as const

/** The OpenCode of this machine, as it is started in a folder. Throws `E_NO_AGENT`. */
export const cliIn = async (cwd: string, env: Cli['env']): Promise<Cli> => ({
  program: await findExecutable(program, env),
  cwd,
  env,
  launch: (command) => command,
})

const timeoutMs = 120_000

/**
 * Runs a command of OpenCode that talks to no model, with its standard output in a file: a pipe loses the end of a large export in some
 * releases. Resolves to what it said on standard error when it failed, undefined when it went well.
 */
export const runCli = async (
  cli: Cli,
  args: readonly string[],
  stdout: string,
  onSpawn: (pid: number) => void = () => {},
): Promise<string | undefined> => {
  const command = cli.launch({ file: cli.program, args, stdin: '', env: environmentIn(cli.cwd, cli.env) })
  const output = await open(stdout, 'w', 0o600)
  try {
    const child = spawn(command.file, command.args, {
      cwd: cli.cwd,
      env: { ...command.env },
      stdio: ['ignore', output.fd, 'pipe'],
      // A group of its own: an interrupt at the terminal is for yoke, which ends where nothing is half done.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    const { pid } = child
    if (pid !== undefined) onSpawn(pid)
    const timer = setTimeout(() => pid !== undefined && killGroup(pid), timeoutMs)
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-4096)
    })
    const [exit, signal] = (await once(child, 'close').finally(() => clearTimeout(timer))) as [
      number | null,
      string | null,
    ]
    if (exit === 0) return undefined
    const words = said
      .replace(/\u001b\[[0-9;]*m/g, '')
      .replace(/^Exporting session: .*$/m, '')
      .replace(/\s+/g, ' ')
      .trim()
    return words || (signal === null ? `exit code ${exit}` : `ended by ${signal}`)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await output.close()
  }
}

/** Ends a command with what it started: the program of some releases is a script around another one. */
export const killGroup = (pid: number): void => {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It ended in the meantime.
  }
}

/** The installed release; undefined when it does not say. `file` is a place for its output. */
export const installedRelease = async (cli: Cli, file: string): Promise<string | undefined> => {
  try {
    const failure = await runCli(cli, ['--version'], file)
    return failure === undefined ? versionIn(await readFile(file, 'utf8')) : undefined
  } finally {
    await rm(file, { force: true })
  }
}
