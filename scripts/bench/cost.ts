import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $, argv } from 'zx'
import { type Account, add, dollars, openBooks, type Tokens } from './cost/books.ts'
import { fileText, lines, makeJob } from './cost/job.ts'
import { startJobModel } from './cost/model.ts'
import { type Bench, claudeEnvironment, median, yoke } from './measure.ts'

const iterations = Number(argv['iterations'] ?? 20)
const pauses = [0, 4, 10] as const
const shares = argv['share'] === undefined ? [0.05, 0.2, 0.5] : [Number(argv['share'])]

/** What the front matter of each strategy says; all else is the same. */
const strategies: Readonly<Record<string, string>> = {
  fresh: 'context-fork-every: 1\ntrim: off',
  resume: 'trim: off',
  'trim, drop stale': 'stale-reads: drop',
  'trim (default)': '',
  'trim, fork every 5': 'context-fork-every: 5',
}

type Run = {
  readonly strategy: string
  readonly share: number
  readonly pause: number
  readonly accounts: readonly Account[]
  readonly compactions: number
  readonly rereads: number
}

/** A coding job of many iterations with the real Claude Code, and what each strategy costs by the provider's books. */
export const benchCost: Bench = async (folder) => {
  const wanted = shares.flatMap((share) => Object.keys(strategies).map((strategy) => ({ share, strategy })))
  const runs: Run[] = []
  const queue = wanted.map((each, index) => ({ ...each, place: join(folder, String(index)) }))
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const began = performance.now()
      runs.push(...(await play(next.strategy, next.share, next.place)))
      rmSync(next.place, { recursive: true })
      console.error(
        `${next.strategy}, ${percent(next.share)} kept: ${((performance.now() - began) / 1000).toFixed(0)} s`,
      )
    }
  }
  await Promise.all([work(), work()])
  for (const share of shares)
    for (const pause of pauses)
      printTable(
        runs
          .filter((run) => run.share === share && run.pause === pause)
          .toSorted((a, b) => order(a.strategy) - order(b.strategy)),
      )
  return runs
}

const order = (strategy: string) => Object.keys(strategies).indexOf(strategy)
const percent = (share: number) => `${Math.round(share * 100)} %`

const play = async (strategy: string, share: number, place: string): Promise<readonly Run[]> => {
  const job = makeJob(iterations, share)
  const project = join(place, 'project')
  mkdirSync(join(project, 'src'), { recursive: true })
  for (const file of job.files) writeFileSync(join(project, file.name), fileText(file))
  writeFileSync(join(project, 'test-output.txt'), lines('tests', 8_000))
  writeFileSync(
    join(project, 'task.md'),
    `---\nmodel: claude-sonnet-4-5\njudge: off\nchecks: test -f done\nstuck-after: 999\nallowed-tools: Bash\nmax-iterations: ${iterations}\n${strategies[strategy]}\n---\nWork through the modules.\n`,
  )
  const books = pauses.map((pause) => openBooks(pause))
  const model = await startJobModel(job, project, books)
  try {
    const env = await claudeEnvironment(place, model.url)
    const run = await $({
      cwd: project,
      env,
      quiet: true,
      nothrow: true,
    })`${yoke} brute task.md --trust --quiet`
    if (run.exitCode !== 3)
      throw new Error(`${strategy} ended with ${run.exitCode}: ${run.stderr}${run.stdout}`)
    return books.map(({ accounts }, index) => ({
      strategy,
      share,
      pause: pauses[index] ?? 0,
      accounts,
      compactions: model.compactions(),
      rereads: model.rereads(),
    }))
  } finally {
    model.close()
  }
}

const totalOf = (accounts: readonly Account[]): Tokens =>
  accounts.map(({ tokens }) => tokens).reduce(add, { input: 0, write5m: 0, write1h: 0, read: 0, output: 0 })

const costOf = (accounts: readonly Account[]): number => dollars(totalOf(accounts))

/** The first iteration from which on the cumulative cost of one stays below that of another. */
const crossing = (one: readonly Account[], other: readonly Account[]): string => {
  const below = one.map((_, n) => costOf(one.slice(0, n + 1)) < costOf(other.slice(0, n + 1)))
  const first = below.lastIndexOf(false) + 1
  return first >= below.length ? 'never' : first === 0 ? 'always' : `from ${first + 1}`
}

const printTable = (runs: readonly Run[]): void => {
  const [first] = runs
  if (first === undefined) return
  const plain = runs.find(({ strategy }) => strategy === 'resume')
  const fresh = runs.find(({ strategy }) => strategy === 'fresh')
  const late = (run: Run) => costOf(run.accounts.slice(9)) / Math.max(1, run.accounts.length - 9)
  console.log(`\n${percent(first.share)} kept, a pause of ${first.pause} minutes, ${iterations} iterations`)
  const head = [
    '',
    'money',
    'of resume',
    'of fresh',
    'late',
    'calls',
    're-reads',
    'context',
    'cached',
    'compactions',
    'in',
    'written',
    'read',
    'out',
    'below resume',
    'below fresh',
  ]
  const rows = runs.map((run) => {
    const total = totalOf(run.accounts)
    const cost = costOf(run.accounts)
    const later = run.accounts.slice(1)
    const k = (tokens: number) => `${Math.round(tokens / 1000)}k`
    return [
      run.strategy,
      `$${cost.toFixed(2)}`,
      plain === undefined ? '' : (cost / costOf(plain.accounts)).toFixed(2),
      fresh === undefined ? '' : (cost / costOf(fresh.accounts)).toFixed(2),
      plain === undefined ? '' : (late(run) / late(plain)).toFixed(2),
      String(run.accounts.reduce((sum, { calls }) => sum + calls, 0)),
      String(run.rereads),
      k(median(later.map(({ contextAtStart }) => contextAtStart))),
      percent(median(later.map(({ cachedAtStart }) => cachedAtStart))),
      String(run.compactions),
      k(total.input),
      k(total.write5m + total.write1h),
      k(total.read),
      k(total.output),
      plain === undefined ? '' : crossing(run.accounts, plain.accounts),
      fresh === undefined ? '' : crossing(run.accounts, fresh.accounts),
    ]
  })
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)),
  )
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
}
