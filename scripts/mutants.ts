// Flips decisions in the core, one at a time, and tells which vectors and tests notice. Usage:
//   npx bun scripts/mutants.ts [--count 100 | --all] [--seed 1] [--only loop/next.ts,drift/] [--json FILE]
// Every file of the core gives at least one, and more the more it decides. The vectors are asked first; only where they notice
// nothing, the unit tests. What nothing notices is named at the end; the exit code is then 1.
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
const count = argv['all'] === true ? Number.POSITIVE_INFINITY : Number(argv['count'] ?? 100)

/** Where decisions are made, and the tests beside the vectors that know them. */
const core: Readonly<Record<string, readonly string[]>> = {
  'loop/*': ['test/loop'],
  'transcript/content.ts': ['test/transcript'],
  'transcript/damage.ts': ['test/transcript'],
  'transcript/entry.ts': ['test/transcript'],
  'transcript/keep-paths.ts': ['test/transcript'],
  'transcript/links.ts': ['test/transcript'],
  'transcript/reads.ts': ['test/transcript'],
  'transcript/relink.ts': ['test/transcript'],
  'transcript/render-read.ts': ['test/transcript'],
  'transcript/select.ts': ['test/transcript'],
  'transcript/stale.ts': ['test/transcript'],
  'transcript/verify.ts': ['test/transcript'],
  'task/duration.ts': ['test/task'],
  'task/front-matter.ts': ['test/task'],
  'task/grants.ts': ['test/task'],
  'task/resolve.ts': ['test/task'],
  'task/roles.ts': ['test/task'],
  'task/values.ts': ['test/task'],
  'drift/drift.ts': ['test/drift'],
  'drift/fingerprint.ts': ['test/drift'],
  'drift/parts.ts': ['test/drift'],
  'drift/release.ts': ['test/drift'],
  'drift/shape.ts': ['test/drift'],
  'drift/signature.ts': ['test/drift'],
  'agents/reset-time.ts': ['test/agents'],
  'agents/claude/classify.ts': ['test/agents'],
  'agents/claude/result.ts': ['test/agents'],
  'agents/claude/slug.ts': ['test/agents'],
  'agents/opencode/classify.ts': ['test/agents'],
  'agents/opencode/select.ts': ['test/agents'],
  'agents/opencode/verify.ts': ['test/agents'],
}

/** What is flipped; a text between spaces, so that strings are rarely hit. */
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

/** Lines whose flips change nothing that a test could see here, and why. */
const alike: readonly { readonly file: string; readonly code: string; readonly why: string }[] = [
  {
    file: 'transcript/keep-paths.ts',
    code: "const ignoresCaseHere = sep === '\\\\' || process.platform === 'darwin'",
    why: 'it holds on another platform',
  },
  {
    file: 'drift/signature.ts',
    code: '[...map].sort(([a], [b]) => (a < b ? -1 : 1))',
    why: 'no two keys of a map are equal',
  },
  {
    file: 'agents/opencode/select.ts',
    code: 'later(end, place + 1)',
    why: 'any times that grow make ids that grow',
  },
  {
    file: 'transcript/links.ts',
    code: 'const run = at < 0 ? undefined : runs[runOf(at)]',
    why: 'what hangs on the first record stands before the first answer, or is held a little longer',
  },
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
  const passedOver = alike
    .filter((each) => each.file === file)
    .map(({ code }) => {
      const start = text.indexOf(code)
      if (start === -1) throw new Error(`src/${file} no longer holds ${code}`)
      return { start, end: start + code.length }
    })
  return flips.flatMap(([from, to]) =>
    positions(text, from)
      .map((at) => ({ file, line: text.slice(0, at).split('\n').length, at, from, to }))
      .filter(({ at }) => passedOver.every(({ start, end }) => at < start || at >= end))
      .filter((mutant) => !isInText(text, mutant.at) && runsOtherwise(text, flipped(text, mutant))),
  )
}

const flipped = (text: string, { at, from, to }: Mutant): string =>
  text.slice(0, at) + to + text.slice(at + from.length)

const javascript = new Bun.Transpiler({ loader: 'ts' })

/** Not in a comment or a type, and no error of syntax, which every test would notice. */
const runsOtherwise = (text: string, mutated: string): boolean => {
  try {
    return javascript.transformSync(mutated) !== javascript.transformSync(text)
  } catch {
    return false
  }
}

const positions = (text: string, part: string): readonly number[] => {
  const found: number[] = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at)
  return found
}

/** Within backticks or quotes that are closed on their line. */
const isInText = (text: string, at: number): boolean =>
  [...text.slice(text.lastIndexOf('\n', at) + 1, at).matchAll(/['"`]/g)].length % 2 === 1

/** Mulberry32: the same seed gives the same choice. */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

/** Of each file first one and then as many as it has its share in all. */
const chosen = (files: readonly (readonly Mutant[])[]): readonly Mutant[] => {
  const draw = random(Number(argv['seed'] ?? 1))
  const shuffled = <T>(items: readonly T[]): readonly T[] =>
    items
      .map((item) => ({ item, key: draw() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ item }) => item)
  return files
    .flatMap((mutants) =>
      shuffled(mutants).map((mutant, nth) => ({
        mutant,
        key: nth === 0 ? 0 : (nth + draw()) / mutants.length,
      })),
    )
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ mutant }) => mutant)
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
}

const only = argv['only'] === undefined ? [''] : String(argv['only']).split(',')
const places = Object.entries(core).flatMap(([pattern, tests]) =>
  filesOf(pattern).map((file) => ({ file, tests })),
)
const testsOf = new Map(places.map(({ file, tests }) => [file, tests]))
const mutants = chosen(
  places
    .map(({ file }) => file)
    .filter((file) => only.some((start) => file.startsWith(start)))
    .map(mutantsOf),
)
if (mutants.length === 0) throw new Error(`no decision in ${only.join(', ')}`)

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

const run = $({
  cwd: place,
  quiet: true,
  nothrow: true,
  // A mutant may never end; a busy machine is slow.
  timeout: '300s',
  env: { ...process.env, YOKE_FUZZ_RUNS: '50' },
})

const vectorsPass = async (): Promise<boolean> =>
  (await run`${join(root, 'node_modules/.bin/bun')} src/start.ts vectors --format json`).exitCode === 0

/** What measures memory takes long and holds no decision. */
const testsPass = async (tests: readonly string[]): Promise<boolean> =>
  (
    await run`npx vitest run --project unit --bail 1 --retry 0 --testTimeout 200000 --exclude test/transcript/memory.test.ts ${tests}`
  ).exitCode === 0

const noticedBy = async (mutant: Mutant): Promise<Verdict> => {
  const path = join(place, 'src', mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, flipped(text, mutant))
  try {
    if (!(await vectorsPass())) return 'vectors'
    return (await testsPass(testsOf.get(mutant.file) ?? [])) ? 'nothing' : 'tests'
  } finally {
    writeFileSync(path, text)
  }
}

const shown = ({ file, line, from, to }: Mutant): string =>
  `src/${file}:${line} ${from.trim()} -> ${to.trim()}`

const results: (Mutant & { readonly noticedBy: Verdict })[] = []
try {
  if (!(await vectorsPass())) throw new Error('the vectors fail without a mutant')
  for (const tests of new Set(mutants.map(({ file }) => testsOf.get(file)?.join(' ') ?? '')))
    if (!(await testsPass(tests.split(' ')))) throw new Error(`${tests} fails without a mutant`)
  for (const mutant of mutants) {
    const verdict = await noticedBy(mutant)
    results.push({ ...mutant, noticedBy: verdict })
    console.log(`${verdict.padEnd(8)} ${shown(mutant)}`)
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}

const of = (verdict: Verdict) => results.filter((each) => each.noticedBy === verdict)
console.log(
  `${results.length} mutants in ${new Set(mutants.map(({ file }) => file)).size} files: ${of('vectors').length} noticed by vectors, ${of('tests').length} by tests, ${of('nothing').length} by nothing`,
)
for (const mutant of of('nothing')) console.log(`  ${shown(mutant)}`)
if (typeof argv['json'] === 'string')
  writeFileSync(argv['json'], `${JSON.stringify(results, undefined, 2)}\n`)
if (of('nothing').length > 0) process.exitCode = 1
