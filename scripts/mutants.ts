// Flips decisions in the core, one at a time, and tells which vectors and tests notice. Usage:
//   npx bun scripts/mutants.ts [--count 100] [--seed 1] [--only loop/next.ts] [--json FILE]
// The vectors are asked first; only where they notice nothing, the unit tests. What nothing notices is named at the end.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { $, argv } from 'zx'

const root = join(import.meta.dirname, '..')
const count = Number(argv['count'] ?? 100)

/** Where decisions are made, and the tests beside the vectors that know them. */
const core: Readonly<Record<string, readonly string[]>> = {
  'loop/*': ['test/loop'],
  'transcript/select.ts': ['test/transcript'],
  'transcript/reads.ts': ['test/transcript'],
  'transcript/relink.ts': ['test/transcript'],
  'transcript/keep-paths.ts': ['test/transcript'],
  'transcript/stale.ts': ['test/transcript'],
  'task/resolve.ts': ['test/task'],
  'task/grants.ts': ['test/task'],
  'drift/fingerprint.ts': ['test/drift'],
  'agents/claude/classify.ts': ['test/agents'],
  'agents/claude/slug.ts': ['test/agents'],
}

/** What is flipped; a text between spaces, so that types, comments and JSX-like text are rarely hit. */
const flips: readonly (readonly [from: string, to: string])[] = [
  [' === ', ' !== '],
  [' !== ', ' === '],
  [' && ', ' || '],
  [' || ', ' && '],
  [' < ', ' <= '],
  [' <= ', ' < '],
  [' > ', ' >= '],
  [' >= ', ' > '],
  [' + 1', ' + 2'],
  [' - 1', ' - 2'],
  ['return true', 'return false'],
  ['return false', 'return true'],
  [' ?? 0', ' ?? 1'],
  ['.slice(1)', '.slice(0)'],
  ['.some(', '.every('],
  ['.every(', '.some('],
  ['.findLast(', '.find('],
  ['.at(-1)', '.at(0)'],
]

type Mutant = {
  readonly file: string
  readonly line: number
  readonly at: number
  readonly from: string
  readonly to: string
}

const filesOf = (pattern: string): readonly string[] =>
  pattern.endsWith('/*')
    ? readdirSync(join(root, 'src', pattern.slice(0, -2)))
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${pattern.slice(0, -1)}${name}`)
    : [pattern]

const mutantsOf = (file: string): readonly Mutant[] => {
  const text = readFileSync(join(root, 'src', file), 'utf8')
  return flips.flatMap(([from, to]) =>
    positions(text, from)
      .filter((at) => isCode(text, at))
      .map((at) => ({ file, line: text.slice(0, at).split('\n').length, at, from, to })),
  )
}

const positions = (text: string, part: string): readonly number[] => {
  const found: number[] = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at)
  return found
}

/** Neither a comment nor a type, nor words in backticks or quotes. */
const isCode = (text: string, at: number): boolean => {
  const line = text.slice(text.lastIndexOf('\n', at) + 1, at)
  const whole = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at))
  if (/^\s*(?:\/\/|\*|\/\*\*|import|export type|type|readonly|\|)/.test(whole)) return false
  return [...line.matchAll(/['"`]/g)].length % 2 === 0
}

/** Mulberry32: the same seed gives the same choice. */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

const chosen = (all: readonly Mutant[]): readonly Mutant[] => {
  const draw = random(Number(argv['seed'] ?? 1))
  return all
    .map((mutant) => ({ mutant, key: draw() }))
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ mutant }) => mutant)
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
}

const only = argv['only'] === undefined ? undefined : String(argv['only'])
const places = Object.entries(core).flatMap(([pattern, tests]) =>
  filesOf(pattern).map((file) => ({ file, tests })),
)
const testsOf = new Map(places.map(({ file, tests }) => [file, tests]))
const mutants = chosen(
  places
    .map(({ file }) => file)
    .filter((file) => only === undefined || file === only)
    .flatMap(mutantsOf),
)

mkdirSync(join(root, 'dist'), { recursive: true })
const place = mkdtempSync(join(root, 'dist', 'mutants-'))
for (const name of [
  'src',
  'test',
  'scripts',
  'vectors',
  'package.json',
  'vitest.config.ts',
  'tsconfig.json',
  'build.ts',
])
  cpSync(join(root, name), join(place, name), { recursive: true })
for (const name of ['node_modules', '.cache', '.github']) symlinkSync(join(root, name), join(place, name))

type Verdict = 'vectors' | 'tests' | 'nothing'

const run = $({ cwd: place, quiet: true, nothrow: true, timeout: '120s' })

const noticedBy = async ({ file, at, from, to }: Mutant): Promise<Verdict> => {
  const path = join(place, 'src', file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length))
  try {
    if ((await run`npx bun src/start.ts vectors --format json`).exitCode !== 0) return 'vectors'
    const tests = testsOf.get(file) ?? []
    return (await run`npx vitest run --bail 1 --retry 0 ${tests}`).exitCode === 0 ? 'nothing' : 'tests'
  } finally {
    writeFileSync(path, text)
  }
}

const results: (Mutant & { readonly noticedBy: Verdict })[] = []
try {
  if ((await run`npx bun src/start.ts vectors --format json`).exitCode !== 0)
    throw new Error('the vectors fail without a mutant')
  for (const mutant of mutants) {
    const verdict = await noticedBy(mutant)
    results.push({ ...mutant, noticedBy: verdict })
    console.log(
      `${verdict.padEnd(8)} src/${mutant.file}:${mutant.line} ${mutant.from.trim()} -> ${mutant.to.trim()}`,
    )
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}
const of = (verdict: Verdict) => results.filter((each) => each.noticedBy === verdict).length
console.log(
  `${results.length} mutants: ${of('vectors')} noticed by vectors, ${of('tests')} by tests, ${of('nothing')} by nothing`,
)
if (typeof argv['json'] === 'string')
  writeFileSync(argv['json'], `${JSON.stringify(results, undefined, 2)}\n`)
