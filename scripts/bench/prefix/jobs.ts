import { between, type Iteration, type Job } from '../cost/job.ts'

type Plan = Pick<Iteration, 'reads' | 'edits' | 'keep'>

const file = (index: number) => `src/module-${String(index).padStart(3, '0')}.ts`
/** One after the other: results of parallel reads stand in the order in which they were done. */
const each = (names: readonly string[]) => names.map((name) => [name])
const files = (from: number, count: number) => Array.from({ length: count }, (_, n) => file(from + n))

/** What is read, changed and kept in iteration `n`, counted from 0. */
const kinds: Readonly<Record<string, (n: number) => Plan>> = {
  /** The six files that were read last; one of the new ones is changed. */
  'sliding window': (n) => ({
    reads: each(files(2 * n, 2)),
    edits: [file(2 * n)],
    keep: files(Math.max(0, 2 * n - 4), Math.min(6, 2 * n + 2)),
  }),
  /** All that was ever read, each changed where it was new. */
  'growing set': (n) => ({ reads: [[file(n)]], edits: [file(n)], keep: files(0, n + 1) }),
  /** Five files that never change, and the two that are worked on. */
  'stable core, changing rest': (n) => ({
    reads: each(n === 0 ? files(0, 7) : files(5 + 2 * n, 2)),
    edits: [file(5 + 2 * n)],
    keep: [...files(0, 5), ...files(5 + 2 * n, 2)],
  }),
  /** The same, with every third iteration a change in one file of the core. */
  'core changed now and then': (n) => ({
    reads: each(n === 0 ? files(0, 7) : files(5 + 2 * n, 2)),
    edits: [file(5 + 2 * n), ...(n % 3 === 2 ? [file(((n - 2) / 3) % 5)] : [])],
    keep: [...files(0, 5), ...files(5 + 2 * n, 2)],
  }),
  /** Six files, the first of them changed each time. */
  'one file changed each time': (n) => ({
    reads: each(n === 0 ? files(0, 6) : []),
    edits: [file(0)],
    keep: files(0, 6),
  }),
  /** A session of work on few files: eight of them, two changed each time in turns, one more read and left. */
  'few files in turns': (n) => ({
    reads: each(n === 0 ? files(0, 8) : [file(7 + n)]),
    edits: [file((2 * n) % 8), file((2 * n + 1) % 8)],
    keep: files(0, 8),
  }),
}

export const keepKinds: readonly string[] = Object.keys(kinds)

/** A shorter job than that of `cost`, whose KEEP set changes in one way. */
export const makeKeepJob = (kind: string, iterations: number, seed: number): Job => {
  const plan = kinds[kind] ?? (() => ({ reads: [], edits: [], keep: [] }))
  const plans = Array.from({ length: iterations }, (_, n) => plan(n))
  const names = [...new Set(plans.flatMap(({ reads }) => reads.flat()))].sort()
  return {
    files: names.map((name, index) => ({ name, bytes: between(`${seed} size ${index}`, 1_000, 20_000) })),
    iterations: plans.map((one, n) => ({
      ...one,
      runs: Array.from({ length: 3 }, (_, index) => between(`${seed} run ${n} ${index}`, 300, 6_000)),
      thoughts: Array.from({ length: 3 }, (_, index) => between(`${seed} thought ${n} ${index}`, 400, 2_400)),
    })),
  }
}
