import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandLine, Ending } from '../agents/agent.ts'
import { YokeError } from '../errors.ts'
import { lineSplitter, tailKeeper } from './lines.ts'
import { endProcessTree, withTreeMark } from './process-tree.ts'
import { tee } from './tee.ts'
import { startWatchdog } from './watchdog.ts'

export type ProcessOptions = {
  readonly cwd: string
  /** Ends the process at once. */
  readonly signal?: AbortSignal | undefined
  readonly iterationTimeoutMs?: number | undefined
  readonly idleTimeoutMs?: number | undefined
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs?: number
  /** Between the result and the exit. */
  readonly resultGraceMs?: number
  readonly stdoutFile?: string | undefined
  readonly stderrFile?: string | undefined
  readonly onSpawn?: (pid: number) => void
  readonly onLine: (line: string) => void
  /** A line of standard error: whether it tells of a failure that the program tries to get over, is its last word, or is to be. */
  readonly onErrorLine?: ((line: string) => 'trouble' | 'end' | 'stop' | undefined) | undefined
  /** Silence after such a failure. */
  readonly troubledTimeoutMs?: number | undefined
  readonly onWarning?: (message: string) => void
  /** Whether the lines so far hold the program's last word. */
  readonly finished?: () => boolean
  /** Whether the lines so far say that all has been spent that may be. */
  readonly overspent?: () => boolean
  /** The tool that runs now, in words for people: its silence is not the agent's. */
  readonly working?: () => string | undefined
}

export type ProcessEnding = Pick<Ending, 'exit' | 'signal' | 'endedBy' | 'stderr'>

/**
 * Runs a program in a process group of its own, and resolves when it and everything that it started is gone. Throws
 * `E_AGENT_START` when the system cannot start it.
 */
export const runProcess = async (command: CommandLine, options: ProcessOptions): Promise<ProcessEnding> => {
  const { signal, onWarning = () => {}, killGraceMs = 5_000 } = options
  if (signal?.aborted) return { exit: null, signal: null, endedBy: 'abort', stderr: '' }
  const env = withTreeMark(command.env)
  const { child, pid } = await start({ ...command, env }, options.cwd)
  const exited = once(child, 'exit')
  const tail = tailKeeper(4096)

  let endedBy: Ending['endedBy']
  let ending: Promise<boolean> | undefined
  const end = (cause?: Ending['endedBy']): Promise<boolean> => {
    if (ending === undefined) endedBy = cause
    ending ??= endProcessTree(pid, { graceMs: killGraceMs, env })
    return ending
  }
  const watchdog = startWatchdog({
    iterationTimeoutMs: options.iterationTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    troubledTimeoutMs: options.troubledTimeoutMs,
    resultGraceMs: options.resultGraceMs ?? 10_000,
    finished: options.finished ?? (() => false),
    working: options.working ?? (() => undefined),
    onWarning,
    onAlarm: end,
  })
  const onAbort = () => end('abort')
  signal?.addEventListener('abort', onAbort)
  const lines = lineSplitter((line) => {
    options.onLine(line)
    if (options.overspent?.()) end('budget')
    watchdog.heard()
  })
  const errorLines = lineSplitter((line) => {
    const told = options.onErrorLine?.(line)
    if (told === 'trouble') watchdog.troubled()
    if (told === 'end') watchdog.heard()
    if (told === 'stop') end()
  })
  const onError = (chunk: Buffer): void => {
    tail.push(chunk)
    errorLines.push(chunk)
  }
  try {
    options.onSpawn?.(pid)
    const output = Promise.all([
      tee(child.stdout, options.stdoutFile, lines.push, onWarning),
      tee(child.stderr, options.stderrFile, onError, onWarning),
    ])
    // A listener that throws ends the process; without this its rejection would come before anyone waits for it.
    output.catch(() => end())
    child.stdin.end(command.stdin)
    const [exit, by] = (await exited) as [number | null, NodeJS.Signals | null]
    watchdog.stop()
    if (!(await end())) onWarning('Some processes that the agent started cannot be ended.')
    await Promise.race([output, sleep(drainMs, undefined, { ref: false })])
    destroy(child)
    await output
    lines.end()
    errorLines.end()
    return { exit, signal: by, ...(endedBy === undefined ? {} : { endedBy }), stderr: tail.text() }
  } finally {
    watchdog.stop()
    signal?.removeEventListener('abort', onAbort)
    await end()
    destroy(child)
  }
}

/** How long the pipes may stay open when all that yoke can find is gone. */
const drainMs = 2_000

const start = async ({ file, args, env }: CommandLine, cwd: string) => {
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: 'pipe',
    })
    // EPIPE: the program need not read its input to the end.
    child.stdin.on('error', () => {})
    if (child.pid === undefined) await once(child, 'spawn')
    return { child, pid: child.pid ?? 0 }
  } catch (error) {
    throw new YokeError(
      'E_AGENT_START',
      `${file} cannot be started in ${cwd}: ${error instanceof Error ? error.message : String(error)}.`,
      'Check that the program can be run and that the folder exists.',
    )
  }
}

const destroy = ({ stdin, stdout, stderr }: ChildProcess): void => {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy()
}
