import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import type { Launch } from '../agent.ts'
import { environmentIn } from './environment.ts'

/** How a command of OpenCode is started. */
export type Cli = {
  readonly program: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly launch: Launch
}

const timeoutMs = 120_000

/**
 * Runs a command of OpenCode that talks to no model, with its standard output in a file: a pipe loses the end of a large export in some
 * releases. Resolves to what it said on standard error when it failed, undefined when it went well.
 */
export const runCli = async (
  cli: Cli,
  args: readonly string[],
  stdout: string,
): Promise<string | undefined> => {
  const command = cli.launch({ file: cli.program, args, stdin: '', env: environmentIn(cli.cwd, cli.env) })
  const output = await open(stdout, 'w', 0o600)
  try {
    const child = spawn(command.file, command.args, {
      cwd: cli.cwd,
      env: { ...command.env },
      stdio: ['ignore', output.fd, 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-4096)
    })
    const [exit, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (exit === 0) return undefined
    const words = said.replace(/\u001b\[[0-9;]*m/g, '').trim()
    return words || (signal === null ? `exit code ${exit}` : `ended by ${signal}`)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await output.close()
  }
}

/** The installed release; undefined when it does not say. `file` is a place for its output. */
export const installedRelease = async (cli: Cli, file: string): Promise<string | undefined> => {
  try {
    const failure = await runCli(cli, ['--version'], file)
    return failure === undefined
      ? /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(await readFile(file, 'utf8'))?.[0]
      : undefined
  } finally {
    await rm(file, { force: true })
  }
}
