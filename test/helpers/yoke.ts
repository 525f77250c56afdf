import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Activity, RunEvent } from '../../src/events.ts'

/** The compiled binary, as a user starts it: `npm test` builds it first. */
export const yokeFile = join(
  import.meta.dirname,
  '..',
  '..',
  'dist',
  process.platform === 'win32' ? 'yoke.exe' : 'yoke',
)

export type YokeRun = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Options = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** What starts the binary, such as a program that becomes another user. */
  readonly as?: readonly string[]
  /** A yoke that was made for a test, instead of the binary. */
  readonly program?: readonly string[]
  /** Called with each line of standard output as it comes. */
  readonly onLine?: (line: string, pid: number) => void
}

/** Starts the binary and waits for its end. */
export const yoke = async (
  args: readonly string[],
  { cwd, env, as = [], program = [yokeFile], onLine }: Options,
): Promise<YokeRun> => {
  if (!existsSync(yokeFile)) throw new Error(`${yokeFile} is not there: npm run build`)
  const [file = yokeFile, ...before] = [...as, ...program]
  const child = spawn(file, [...before, ...args], { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    for (let end = stdout.indexOf('\n', seen); end !== -1; end = stdout.indexOf('\n', seen)) {
      onLine?.(stdout.slice(seen, end), child.pid ?? 0)
      seen = end + 1
    }
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** The events that `--json` printed. */
export const eventsOf = ({ stdout }: YokeRun): readonly (RunEvent | Activity)[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
