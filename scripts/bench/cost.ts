import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pinned } from '../../src/probe/pinned-cli.ts'
import { lookBack } from '../../src/probe/prompt-cache.ts'
import { type Books, leastCached, openBooks, price, seconds } from './cost/books.ts'
import { type Goal, goals } from './cost/goals.ts'
import { type Job, makeJob, neededTokens } from './cost/job.ts'
import { floorOf } from './cost/late.ts'
import { startJobModel } from './cost/model.ts'
import { playJob, writeProject } from './cost/project.ts'
import { model as jobModel, names, type Run, strategies } from './cost/strategies.ts'
import { percent, settingTables } from './cost/tables.ts'
import { type Bench, type BenchOptions, inPairs } from './measure.ts'

type Lifetime = NonNullable<BenchOptions['lifetime']>

const pauses = [0, 4, 10] as const
const allShares = [0.05, 0.2, 0.5]

const assumptions = (iterations: number, lifetime: Lifetime): readonly string[] => [
  `The job: ${iterations} iterations of some 24 model calls; 6 new files of 1 to 20 kB each, 5 edits of 700 bytes, 14 runs of tests that print 0.3 to 6 kB, 8 thoughts of 0.4 to 2.4 kB.`,
  'Each repeat has a seed of its own, which decides the sizes of files, outputs and thoughts; it is the same for all strategies.',
  'The model reads again whatever it needs and does not find in the request: files that the last iteration named in KEEP, and files that it is to change.',
  `Claude Code ${pinned.claude} with ${jobModel}, its requests and breakpoints as they were sent; the judge is off, its pause is a span on the clock of the books, which yoke does not see: where it weighs a trim, the cache is warm to it.`,
  'A window of 200,000 tokens, of which Claude Code compacts by itself before they are full; a summary has 6 kB; a longer request would be refused. Once more with a window of a million, which nothing reaches.',
  'Four bytes of a request are one token; long prompts cost neither less nor more a token.',
  `The cache: a prefix of ${leastCached} tokens or more that ends on a breakpoint is stored for five minutes or an hour, as asked (here: ${lifetime}); read is the longest stored prefix that ends at one of ${lookBack} places up to and with a breakpoint; tool uses that follow each other are one place, and so are results; reading renews. Thoughts of earlier turns stay in it.`,
  `Dollars a million tokens: input ${price.input}, written for five minutes ${price.write5m}, for an hour ${price.write1h}, read ${price.read}, output ${price.output}.`,
  `The clock: ${seconds.first} s to the first token, ${Math.round(1 / seconds.token)} tokens a second, ${seconds.tool} s for a tool, ${seconds.between} s and the pause between iterations.`,
]

/** A coding job of many iterations with the real Claude Code, and what each strategy costs by the provider's books. */
export const benchCost: Bench = async (
  folder,
  { iterations = 20, repeats = 1, share: only, lifetime = '5m' },
) => {
  const shares = only === undefined ? allShares : [only]
  const plays = Array.from({ length: repeats }, (_, repeat) =>
    shares.flatMap((share) => names.map((strategy) => ({ repeat, share, strategy }))),
  )
    .flat()
    .map((each, index) => ({ ...each, place: join(folder, String(index)) }))
  const runs: Run[] = []
  await inPairs(plays, async (next) => {
    const began = performance.now()
    runs.push(...(await play(next, iterations, lifetime)))
    rmSync(next.place, { recursive: true })
    console.error(
      `${next.strategy}, ${percent(next.share)} kept, repeat ${next.repeat + 1}: ${((performance.now() - began) / 1000).toFixed(0)} s`,
    )
  })
  const settings = shares.flatMap((share) =>
    pauses.map((pause) => runs.filter((run) => run.share === share && run.pause === pause)),
  )
  for (const setting of settings) console.log(settingTables(setting))
  const reached = iterations < 10 ? [] : goals(settings)
  console.log(`\n${reached.map(goalText).join('\n')}`)
  return { assumptions: assumptions(iterations, lifetime), figures: { runs, goals: reached } }
}

const goalText = ({ goal, holds, worst, fails }: Goal): string =>
  `${holds ? 'holds' : 'does not hold'}: ${goal}; worst ${worst}${holds ? '' : `; not ${fails.join(', ')}`}`

type Queued = Pick<Run, 'strategy' | 'share' | 'repeat'> & { readonly place: string }

const play = async (
  { strategy, share, repeat, place }: Queued,
  iterations: number,
  lifetime: Lifetime,
): Promise<readonly Run[]> => {
  const { front, window, model } = strategies[strategy]
  const job = makeJob(iterations, share, repeat)
  const project = writeProject(place, job, [`model: ${model}`, 'checks: test -f done', ...front])
  const books = pauses.map((pause) => openBooks(pause))
  const server = await startJobModel(job, project, books, window)
  try {
    const run = await playJob(place, project, server.url, '--quiet', lifetime)
    if (run.exitCode !== 3)
      throw new Error(`${strategy} ended with ${run.exitCode}: ${run.stderr}${run.stdout}`)
    return books.map(({ accounts }, index) => ({
      strategy,
      share,
      repeat,
      pause: pauses[index] ?? 0,
      accounts,
      floors: floorsOf(job, books, pauses[index] ?? 0),
      compactions: server.compactions(),
      refused: server.refused(),
      rereads: server.rereads(),
    }))
  } finally {
    server.close()
  }
}

/** Of a run with a pause, from the same run without one. */
const floorsOf = (job: Job, books: readonly Books[], pause: number) =>
  (books[pauses.indexOf(0)]?.accounts ?? []).map((account, n) =>
    floorOf(account, neededTokens(job, n), pause >= 5),
  )
