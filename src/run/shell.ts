import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandLine, Place } from '../agents/agent.ts'
import { endProcessTree } from './process-tree.ts'

export type ShellOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends the command with everything it started. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number | undefined
  readonly stdin?: string
  /** Where the command runs instead of on the host. */
  readonly place?: Pick<Place, 'launch' | 'sweep'>
}

export type ShellResult = {
  /** `null` when a signal or the time limit ended the command. */
  readonly exit: number | null
  /** The last 8 KiB of standard output and standard error, in the order in which they were written. */
  readonly output: string
}

const keptBytes = 8 * 1024

/** How long output is still read after the shell has exited: a background process that it left may hold the pipe for ever. */
const drainMs = 200

/** Runs a command of the user's by the shell, in a process group of its own. */
export const runShell = (command: string, options: ShellOptions): Promise<ShellResult> =>
  runCommand(
    started(command, options),
    options,
    // The shell sends both streams to one pipe, which keeps their order.
    process.platform === 'win32' ? 'pipe' : 'ignore',
  )

/** Runs a program with its arguments as they are, in a process group of its own. */
export const runCommand = async (
  { file, args, env }: Pick<CommandLine, 'file' | 'args' | 'env'>,
  options: Omit<ShellOptions, 'env'>,
  stderr: 'pipe' | 'ignore' = 'pipe',
): Promise<ShellResult> => {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...env },
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', stderr],
  })
  let tail = Buffer.alloc(0)
  const keep = (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-keptBytes)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  // A command that does not read its input closes the pipe; that is its right.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.stdin ?? '')

  let ending: Promise<void> | undefined
  const end = (): void => {
    if (child.pid !== undefined) ending ??= endProcessTree(child.pid).then(() => options.place?.sweep())
  }
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(end, options.timeoutMs)
  options.signal?.addEventListener('abort', end, { once: true })
  try {
    const exit = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    await Promise.race([new Promise((resolve) => child.once('close', resolve)), sleep(drainMs)])
    child.stdout?.destroy()
    await ending
    return { exit: ending === undefined ? exit : null, output: wholeLines(tail) }
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', end)
  }
}

const started = (
  command: string,
  { env, place }: ShellOptions,
): Pick<CommandLine, 'file' | 'args' | 'env'> => {
  const given = definedOf(env)
  if (place !== undefined)
    return place.launch({ file: 'sh', args: ['-c', `exec 2>&1\n${command}`], stdin: '', env: given })
  return process.platform === 'win32'
    ? { file: 'cmd.exe', args: ['/d', '/s', '/c', command], env: given }
    : { file: '/bin/sh', args: ['-c', `exec 2>&1\n${command}`], env: given }
}

export const definedOf = (env: ShellOptions['env']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** A cut may fall into a line, or into a character. */
const wholeLines = (tail: Buffer): string => {
  const text = tail.toString('utf8')
  return (tail.length < keptBytes ? text : text.slice(text.indexOf('\n') + 1)).trimEnd()
}
