import { mkdirSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import picocolors from 'picocolors'
import { $ } from 'zx'
import { probeEnvironment } from '../../src/probe/environment.ts'
import { ensureRelease, pinned } from '../../src/probe/pinned-cli.ts'

export const root = join(import.meta.dirname, '..', '..')
export const yoke = join(root, 'dist', 'yoke')

/** What can be asked of a bench; undefined is its own default. */
export type BenchOptions = {
  readonly repeats: number | undefined
  readonly iterations: number | undefined
  readonly share: number | undefined
  /** How long the CLI asks the provider to keep what it caches. */
  readonly lifetime: '5m' | '1h' | undefined
}

/** What `--json` gets of a bench. */
export type Figures = {
  /** What the figures stand on. */
  readonly assumptions: readonly string[]
  readonly figures: object
}

/** One measurement, which prints its tables; `folder` is removed behind it. */
export type Bench = (folder: string, options: BenchOptions) => Promise<Figures>

export const plain = picocolors.createColors(false)

/** Where it was measured. */
export const machine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${release()}`

export const today = (): string => new Date().toISOString().slice(0, 10)

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

type Surroundings = { readonly cwd?: string; readonly env?: Readonly<Record<string, string | undefined>> }

/** Milliseconds that a program takes from start to end; nobody reads what it prints. */
export const timeOf = async (
  { cwd = process.cwd(), env = process.env }: Surroundings,
  file: string,
  ...args: readonly string[]
): Promise<number> => {
  const began = performance.now()
  await $({ stdio: 'ignore', nothrow: true, cwd, env })`${file} ${args}`
  return performance.now() - began
}

/** For the pinned Claude Code, with a home of its own in the folder, against a model server. */
export const claudeEnvironment = async (folder: string, url: string) => {
  const home = join(folder, 'home')
  mkdirSync(home)
  const claude = await ensureRelease('claude', pinned.claude, join(root, '.cache'))
  return {
    ...probeEnvironment({ url, home, base: process.env }),
    PATH: `${dirname(claude)}:${process.env['PATH']}`,
  }
}

/** `12.3 ms (11.8 to 14.0)`: the median with the spread. */
export const spread = (values: readonly number[], unit = 'ms'): string =>
  `${median(values).toFixed(1)} ${unit} (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`

/** Does the work, two pieces at a time. After a failure none begins any more, and it is thrown when what was under way has ended. */
export const inPairs = async <Piece>(
  pieces: readonly Piece[],
  work: (piece: Piece) => Promise<void>,
): Promise<void> => {
  const queue = [...pieces]
  const worker = async () => {
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
    } finally {
      queue.length = 0
    }
  }
  const ends = await Promise.allSettled([worker(), worker()])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
