import { join } from 'node:path'
import { pinned } from '../../src/probe/pinned-cli.ts'
import { lookBack } from '../../src/probe/prompt-cache.ts'
import { table } from '../../src/ui/table.ts'
import { costOf, openBooks } from './cost/books.ts'
import { startJobModel } from './cost/model.ts'
import { playJob, writeProject } from './cost/project.ts'
import { model } from './cost/strategies.ts'
import { figure, money } from './cost/tables.ts'
import { type Bench, inPairs, median, plain } from './measure.ts'
import { keepKinds, makeKeepJob } from './prefix/jobs.ts'
import { type Start, watchPrefix } from './prefix/watch.ts'

/** What each order says of the trim. */
const trims = { 'of the file': 'always', 'stable first': 'always', default: 'on', untrimmed: 'off' } as const
const orders = Object.keys(trims) as readonly (keyof typeof trims)[]

type Run = {
  readonly kind: string
  readonly order: keyof typeof trims
  readonly repeat: number
  readonly starts: readonly Start[]
  /** US dollars, with no pause between iterations. */
  readonly money: number
}

const assumptions = [
  'Each repeat has a seed of its own, which decides the sizes of files and outputs; it is the same for all orders.',
  'The jobs: some ten model calls an iteration, one to eight reads of files of 1 to 20 kB, one or two edits, three runs of tests that print 0.3 to 6 kB.',
  `Claude Code ${pinned.claude} and the trim of dist/yoke, with stale reads brought up to date; no pause between iterations.`,
  '`of the file`: kept reads as the trim leaves them. `stable first`: after each trim a check of the task puts those in front that have not changed for the longest, of these the ones that have been kept for the longest, and the CLI goes on from there. `default`: what yoke does by itself, which spares a trim that costs more than it saves. `untrimmed`: the same job with `trim: off`.',
  'Sent before: the longest row of whole blocks (tools, system, blocks of messages), from the first, that an earlier request of the run began with, in bytes of JSON.',
  `Read from the cache: what the provider finds at the ${lookBack} places up to and with one of the breakpoints that the CLI sets.`,
]

/** How much of the first request after each trim was sent before, with KEEP sets that change in several ways, in two orders of the kept reads. */
export const benchPrefix: Bench = async (folder, { iterations = 20, repeats = 1 }) => {
  const plays = Array.from({ length: repeats }, (_, repeat) =>
    keepKinds.flatMap((kind) => orders.map((order) => ({ kind, order, repeat }))),
  )
    .flat()
    .map((each, index) => ({ ...each, place: join(folder, String(index)) }))
  const runs: Run[] = []
  await inPairs(plays, async ({ place, ...next }) => {
    const began = performance.now()
    runs.push({ ...next, ...(await play(next, place, iterations)) })
    console.error(
      `${next.kind}, ${next.order}, repeat ${next.repeat + 1}: ${((performance.now() - began) / 1000).toFixed(0)} s`,
    )
  })
  const rows = keepKinds.flatMap((kind) =>
    orders.map((order) => {
      const own = runs.filter((run) => run.kind === kind && run.order === order)
      return { kind, order, ...summary(own, runs) }
    }),
  )
  const right = true
  console.log(
    table(
      rows,
      [
        { title: 'KEEP', cell: ({ kind, order }) => (order === orders[0] ? kind : '') },
        { title: 'order', cell: ({ order }) => order },
        { title: 'sent before', cell: ({ sent }) => shares(sent), right },
        { title: 'of the messages', cell: ({ sentMessages }) => shares(sentMessages), right },
        { title: 'read from the cache', cell: ({ cached }) => shares(cached), right },
        { title: 'money', cell: ({ dollars }) => figure(dollars, money), right },
        { title: 'of untrimmed', cell: ({ ofUntrimmed }) => figure(ofUntrimmed, ratio), right },
      ],
      plain,
    ),
  )
  return { assumptions, figures: { rows, runs } }
}

/** Of the first requests of all iterations but the first. */
const summary = (runs: readonly Run[], all: readonly Run[]) => {
  const starts = runs.flatMap((run) => run.starts.slice(1))
  return {
    sent: starts.map(({ bytes, sentBefore }) => sentBefore / bytes),
    sentMessages: starts.map(
      ({ head, bytes, sentBefore }) => Math.max(0, sentBefore - head) / (bytes - head),
    ),
    cached: starts.map(({ cached }) => cached),
    dollars: runs.map((run) => run.money),
    ofUntrimmed: runs.map((run) => run.money / untrimmed(run, all)),
  }
}

/** What the same job costs when nothing is trimmed. */
const untrimmed = ({ kind, repeat }: Run, all: readonly Run[]): number =>
  all.find((run) => run.kind === kind && run.repeat === repeat && run.order === 'untrimmed')?.money ??
  Number.NaN

const ratio = (value: number) => value.toFixed(2)
const percent = (share: number) => Math.round(100 * share)

/** `68 % (60 to 71)`: the median with the spread. */
const shares = (all: readonly number[]): string =>
  `${percent(median(all))} % (${percent(Math.min(...all))} to ${percent(Math.max(...all))})`

const play = async (
  { kind, order, repeat }: Pick<Run, 'kind' | 'order' | 'repeat'>,
  place: string,
  iterations: number,
): Promise<Pick<Run, 'starts' | 'money'>> => {
  const job = makeKeepJob(kind, iterations, repeat)
  const reorder = `${process.execPath} ${join(import.meta.dirname, 'prefix', 'reorder.ts')} ${join(place, 'order.json')}`
  const checks = order === 'stable first' ? [reorder, 'test -f done'] : ['test -f done']
  const trim = trims[order]
  const project = writeProject(place, job, [
    `model: ${model}`,
    `trim: ${trim}`,
    `checks: ${JSON.stringify(checks)}`,
  ])
  const books = openBooks(0)
  const watch = watchPrefix(books)
  const server = await startJobModel(job, project, [watch.books], 200_000)
  try {
    const run = await playJob(place, project, server.url, '--json')
    const skipped = run.stdout.split('\n').find((line) => /"trim\.(?:skipped|refused|failed)"/.test(line))
    if (run.exitCode !== 3 || (skipped !== undefined && trim === 'always'))
      throw new Error(`${kind}, ${order} ended with ${run.exitCode}: ${run.stderr}${skipped ?? run.stdout}`)
    return {
      starts: watch.starts,
      money: costOf(books.accounts),
    }
  } finally {
    server.close()
  }
}
