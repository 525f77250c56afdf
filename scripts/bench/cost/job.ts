import { createHash } from 'node:crypto'

/** A coding job that is the same in every strategy: what there is to read, to change and to run, iteration by iteration. */
export type Job = {
  readonly files: readonly JobFile[]
  readonly iterations: readonly Iteration[]
}

export type JobFile = { readonly name: string; readonly bytes: number }

export type Iteration = {
  /** Files that are new in this iteration, in groups that are read in parallel. */
  readonly reads: readonly (readonly string[])[]
  /** Files that are changed: of the new ones and of those kept from before. */
  readonly edits: readonly string[]
  /** Runs of the tests and of small tools, by the bytes that they print. */
  readonly runs: readonly number[]
  /** Bytes that the model thinks before a call, one for each of the first calls. */
  readonly thoughts: readonly number[]
  /** What KEEP names at the end. */
  readonly keep: readonly string[]
}

/** A number from 0 to 1 that depends on nothing but its seed. */
const fraction = (seed: string): number => createHash('sha256').update(seed).digest().readUInt32BE() / 2 ** 32

export const between = (seed: string, least: number, most: number): number =>
  Math.round(least + (most - least) * fraction(seed))

/** Some 25 model calls an iteration; `keptShare` of the bytes of a session are kept at its end, the newest files first. The seed decides the sizes. */
export const makeJob = (iterations: number, keptShare: number, seed: number): Job => {
  const files = Array.from({ length: iterations * 6 }, (_, index) => ({
    name: `src/module-${String(index).padStart(3, '0')}.ts`,
    bytes: between(`${seed} size ${index}`, 1_000, 20_000),
  }))
  const bytesOf = (name: string) => files.find((file) => file.name === name)?.bytes ?? 0
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
  let kept: readonly string[] = []
  return {
    files,
    iterations: Array.from({ length: iterations }, (_, n) => {
      const fresh = files.slice(n * 6, n * 6 + 6).map(({ name }) => name)
      const [a = '', b = '', c = '', d = '', e = '', f = ''] = fresh
      const runs = Array.from({ length: 14 }, (_, index) => between(`${seed} run ${n} ${index}`, 300, 6_000))
      const thoughts = Array.from({ length: 8 }, (_, index) =>
        between(`${seed} thought ${n} ${index}`, 400, 2_400),
      )
      const edits = [a, d, f, kept[0] ?? b, c]
      const added = sum(fresh.map(bytesOf)) + sum(runs) + sum(thoughts) + 5 * 900
      const wanted = keptShare * (sum(kept.map(bytesOf)) + added)
      const candidates = [...new Set([...edits, ...fresh, ...kept])]
      const keep: string[] = []
      for (const name of candidates) if (sum(keep.map(bytesOf)) < wanted) keep.push(name)
      const iteration = { reads: [[a, b], [c], [d, e, f]], edits, runs, thoughts, keep }
      kept = keep
      return iteration
    }),
  }
}

/** Tokens of the files that an iteration needs from before, at four bytes each; what edits have added to them is left out. */
export const neededTokens = ({ files, iterations }: Job, n: number): number => {
  const kept = iterations[n - 1]?.keep ?? []
  return files.reduce((sum, { name, bytes }) => (kept.includes(name) ? sum + bytes / 4 : sum), 0)
}

/** The line that tells which state of a file a text holds. */
export const mark = (name: string, revision: number): string => `// ${name}, revision ${revision}.`

/** Text of a file: code-like lines, none like another, after the mark. */
export const fileText = ({ name, bytes }: JobFile): string => `${mark(name, 1)}\n${lines(name, bytes)}`

export const lines = (seed: string, bytes: number): string => {
  let text = ''
  for (let n = 1; text.length < bytes; n++) {
    const word = createHash('sha256').update(`${seed} ${n}`).digest('hex')
    text += `export const ${word.slice(0, 9)} = (${word.slice(9, 14)}: string) => compute('${word.slice(14, 30)}', ${n})\n`
  }
  return text
}

/** Prose-like bytes, for thoughts. */
export const prose = (seed: string, bytes: number): string =>
  Array.from(
    { length: Math.ceil(bytes / 8) },
    (_, n) => `${createHash('sha256').update(`${seed} ${n}`).digest('hex').slice(0, 6)}, `,
  )
    .join('')
    .slice(0, bytes)
