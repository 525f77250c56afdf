import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pinned } from '../../src/probe/pinned-cli.ts'
import { lookBack } from '../../src/probe/prompt-cache.ts'
import { table } from '../../src/ui/table.ts'
import { type Account, costOf, openBooks, price, seconds, totalOf } from './cost/books.ts'
import { type Goal, goals } from './cost/goals.ts'
import { makeJob } from './cost/job.ts'
import { startJobModel } from './cost/model.ts'
import { playJob, writeProject } from './cost/project.ts'
import { names, type Run, type Strategy, strategies } from './cost/strategies.ts'
import { type Bench, median, plain } from './measure.ts'

const pauses = [0, 4, 10] as const
const allShares = [0.05, 0.2, 0.5]

const assumptions = (iterations: number): readonly string[] => [
  `The job: ${iterations} iterations of some 24 model calls; 6 new files of 1 to 20 kB each, 5 edits of 700 bytes, 14 runs of tests that print 0.3 to 6 kB, 8 thoughts of 0.4 to 2.4 kB.`,
  'The model reads again whatever it needs and does not find in the request: files that the last iteration named in KEEP, and files that it is to change.',
  `Claude Code ${pinned.claude}, its requests and breakpoints as they were sent; the judge is off, its pause is a span on the clock.`,
  'A window of 200,000 tokens: the provider refuses a longer request, whereupon Claude Code compacts, as this release does by itself; a refusal costs nothing, a summary has 6 kB. Once more with a window of a million, which nothing reaches.',
  'Four bytes of a request are one token; of the provider, no least length of a cached prefix and no lower price or higher one for long prompts.',
  `The cache: a prefix that ends on a breakpoint is stored for five minutes or an hour, as asked; read are prefixes up to ${lookBack} blocks before a breakpoint; reading renews.`,
  `Dollars a million tokens: input ${price.input}, written for five minutes ${price.write5m}, for an hour ${price.write1h}, read ${price.read}, output ${price.output}.`,
  `The clock: ${seconds.first} s to the first token, ${Math.round(1 / seconds.token)} tokens a second, ${seconds.tool} s for a tool, ${seconds.between} s and the pause between iterations.`,
]

/** A coding job of many iterations with the real Claude Code, and what each strategy costs by the provider's books. */
export const benchCost: Bench = async (folder, { iterations = 20, repeats = 1, share: only }) => {
  const shares = only === undefined ? allShares : [only]
  const queue = Array.from({ length: repeats }, (_, repeat) =>
    shares.flatMap((share) => names.map((strategy) => ({ repeat, share, strategy }))),
  )
    .flat()
    .map((each, index) => ({ ...each, place: join(folder, String(index)) }))
  const runs: Run[] = []
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const began = performance.now()
      const played = await play(next.strategy, next.share, next.place, iterations)
      runs.push(...played.map((run) => ({ ...run, repeat: next.repeat })))
      rmSync(next.place, { recursive: true })
      console.error(
        `${next.strategy}, ${percent(next.share)} kept: ${((performance.now() - began) / 1000).toFixed(0)} s`,
      )
    }
  }
  await Promise.all([work(), work()])
  const settings = shares.flatMap((share) =>
    pauses.map((pause) => runs.filter((run) => run.share === share && run.pause === pause)),
  )
  for (const setting of settings) console.log(settingTable(setting, iterations))
  const reached = iterations < 10 ? [] : goals(settings)
  console.log(`\n${reached.map(goalText).join('\n')}`)
  return { assumptions: assumptions(iterations), figures: { runs, goals: reached } }
}

const percent = (share: number) => `${Math.round(share * 100)} %`

const goalText = ({ goal, holds, worst, fails }: Goal): string =>
  `${holds ? 'holds' : 'does not hold'}: ${goal}; worst ${worst}${holds ? '' : `; not ${fails.join(', ')}`}`

const play = async (
  strategy: Strategy,
  share: number,
  place: string,
  iterations: number,
): Promise<readonly Omit<Run, 'repeat'>[]> => {
  const { front, window } = strategies[strategy]
  const job = makeJob(iterations, share)
  const project = writeProject(place, job, ['checks: test -f done', ...front])
  const books = pauses.map((pause) => openBooks(pause))
  const model = await startJobModel(job, project, books, window)
  try {
    const run = await playJob(place, project, model.url, '--quiet')
    if (run.exitCode !== 3)
      throw new Error(`${strategy} ended with ${run.exitCode}: ${run.stderr}${run.stdout}`)
    return books.map(({ accounts }, index) => ({
      strategy,
      share,
      pause: pauses[index] ?? 0,
      accounts,
      compactions: model.compactions(),
      refused: model.refused(),
      rereads: model.rereads(),
    }))
  } finally {
    model.close()
  }
}

/** The first iteration from which on the cumulative cost of one stays below that of another. */
const crossing = (one: readonly Account[], other: readonly Account[]): string => {
  const below = one.map((_, n) => costOf(one.slice(0, n + 1)) < costOf(other.slice(0, n + 1)))
  const first = below.lastIndexOf(false) + 1
  return first >= below.length ? 'never' : first === 0 ? 'always' : `from ${first + 1}`
}

/** A line for each strategy: of repeats the first, with the least and the most money of all. */
const settingTable = (all: readonly Run[], iterations: number): string => {
  const [first] = all
  if (first === undefined) return ''
  const runs = all
    .filter(({ repeat }) => repeat === 0)
    .toSorted((a, b) => names.indexOf(a.strategy) - names.indexOf(b.strategy))
  const of = (strategy: Strategy) => runs.find((run) => run.strategy === strategy)?.accounts ?? []
  const ratio = (accounts: readonly Account[], strategy: Strategy, from = 0) => {
    const other = of(strategy).slice(from)
    return other.length === 0 ? '' : (costOf(accounts.slice(from)) / costOf(other)).toFixed(2)
  }
  const spread = ({ strategy, accounts }: Run): string => {
    const costs = all.filter((run) => run.strategy === strategy).map((run) => costOf(run.accounts))
    return costs.length < 2
      ? ''
      : `${((100 * (Math.max(...costs) - Math.min(...costs))) / costOf(accounts)).toFixed(1)} %`
  }
  const k = (tokens: number) => `${Math.round(tokens / 1000)}k`
  const column = (title: string, cell: (run: Run) => string) => ({ title, cell, right: true })
  const total = ({ accounts }: Run) => totalOf(accounts)
  const later = (run: Run, what: (account: Account) => number) => median(run.accounts.slice(1).map(what))
  return `\n${percent(first.share)} kept, a pause of ${first.pause} minutes, ${iterations} iterations\n${table(
    runs,
    [
      { title: '', cell: ({ strategy }) => strategy },
      column('money', ({ accounts }) => `$${costOf(accounts).toFixed(2)}`),
      column('spread', spread),
      column('of fresh', ({ accounts }) => ratio(accounts, 'fresh')),
      column('of resume', ({ accounts }) => ratio(accounts, 'resume')),
      column('of 1M', ({ accounts }) => ratio(accounts, 'resume, 1M window')),
      column('late, of resume', ({ accounts }) => ratio(accounts, 'resume', 9)),
      column('calls', ({ accounts }) => String(accounts.reduce((sum, { calls }) => sum + calls, 0))),
      column('re-reads', ({ rereads }) => String(rereads)),
      column('compactions', ({ compactions }) => String(compactions)),
      column('context', (run) => k(later(run, ({ contextAtStart }) => contextAtStart))),
      column('cached', (run) => percent(later(run, ({ cachedAtStart }) => cachedAtStart))),
      column('in', (run) => k(total(run).input)),
      column('written', (run) => k(total(run).write5m + total(run).write1h)),
      column('read', (run) => k(total(run).read)),
      column('out', (run) => k(total(run).output)),
      column('below fresh', ({ accounts }) => crossing(accounts, of('fresh'))),
      column('below resume', ({ accounts }) => crossing(accounts, of('resume'))),
    ],
    plain,
  )}`
}
