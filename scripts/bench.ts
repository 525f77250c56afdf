// What yoke costs, as ratios measured by turns in one run, after `npm run build`; `npx bun scripts/bench.ts --help` names the benches.
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchCost } from './bench/cost.ts'
import { benchIdle } from './bench/idle.ts'
import { benchLoop } from './bench/loop.ts'
import { type Bench, type BenchOptions, machine, today, yoke } from './bench/measure.ts'
import { benchPrefix } from './bench/prefix.ts'
import { benchStart } from './bench/start.ts'
import { benchTrim } from './bench/trim.ts'

type Entry = {
  readonly about: string
  readonly run: Bench
  /** What can be asked of it beside the repeats. */
  readonly takes: readonly (keyof BenchOptions)[]
  /** Iterations that it needs. */
  readonly fewest?: number
}

const benches: Readonly<Record<string, Entry>> = {
  cost: {
    about: 'what a job costs with the trim, with fresh sessions and with plain resume',
    run: benchCost,
    takes: ['iterations', 'share', 'lifetime'],
  },
  prefix: {
    about: 'how much of the first request after a trim was sent before',
    run: benchPrefix,
    takes: ['iterations'],
  },
  trim: {
    about: 'time and memory of a trim against `wc -l`, `cat` and JSON.parse',
    run: benchTrim,
    takes: [],
  },
  loop: {
    about: "yoke's own time of an iteration, and against a shell loop",
    run: benchLoop,
    takes: ['iterations'],
    fewest: 4,
  },
  idle: {
    about: 'a core and memory while the agent is silent, or says a thousand things a second',
    run: benchIdle,
    takes: [],
  },
  start: {
    about: '`--version`, `--help`, `status` and `doctor` against a hello world',
    run: benchStart,
    takes: [],
  },
}

const help = `npx bun scripts/bench.ts BENCH [--json FILE] [--repeats N] [--iterations N] [--share 0.2] [--lifetime 1h]

${Object.entries(benches)
  .map(([name, { about }]) => `  ${name.padEnd(8)}${about}`)
  .join('\n')}

  --json FILE       write the figures there too, with machine, date and assumptions
  --repeats N       measure so often, by turns (cost, prefix: 1; trim: 5, of 2 GB 3; loop: 3; start: 30; idle: 1)
  --iterations N    of the job of cost and prefix (20), and of loop (12; four or more)
  --share 0.2       the kept share of the job of cost (0.05, 0.2 and 0.5, one after the other)
  --lifetime 1h     what Claude Code asks the cache to be kept for in cost (5m)`

/** A number over zero, or a sentence that says what it should be. */
const positive = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!(number > 0)) throw new Error(`--${name} needs a number over zero, not \`${text}\`.`)
  return number
}

const whole = (name: string, text: string | undefined): number | undefined => {
  const number = positive(name, text)
  if (!Number.isInteger(number ?? 1)) throw new Error(`--${name} needs a whole number, not \`${text}\`.`)
  return number
}

const readArguments = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      json: { type: 'string' },
      repeats: { type: 'string' },
      iterations: { type: 'string' },
      share: { type: 'string' },
      lifetime: { type: 'string' },
    },
  })
  if (values.help) return 'help'
  const [name = ''] = positionals
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
  if (bench === undefined || positionals.length > 1)
    throw new Error(
      `${positionals.length === 0 ? 'Name a bench' : `There is no bench \`${positionals.join(' ')}\``}: name one of ${Object.keys(benches).join(', ')}.`,
    )
  for (const option of ['iterations', 'share', 'lifetime'] as const)
    if (values[option] !== undefined && !bench.takes.includes(option))
      throw new Error(`The bench \`${name}\` takes no --${option}.`)
  const options: BenchOptions = {
    repeats: whole('repeats', values.repeats),
    iterations: whole('iterations', values.iterations),
    share: positive('share', values.share),
    lifetime: lifetimeOf(values.lifetime),
  }
  if ((options.share ?? 0) > 1)
    throw new Error(`--share needs a share of one, such as 0.2, not \`${values.share}\`.`)
  const { fewest = 1 } = bench
  if ((options.iterations ?? fewest) < fewest)
    throw new Error(`The bench \`${name}\` needs ${fewest} iterations or more.`)
  if (values.json !== undefined) requireWritable(values.json)
  return { name, bench, options, json: values.json }
}

const lifetimeOf = (text: string | undefined): BenchOptions['lifetime'] => {
  if (text === undefined || text === '5m' || text === '1h') return text
  throw new Error(`--lifetime needs 5m or 1h, not \`${text}\`.`)
}

/** Better now than when hours have been measured. */
const requireWritable = (file: string): void => {
  try {
    closeSync(openSync(file, 'a'))
  } catch (error) {
    throw new Error(`--json cannot be written: ${error instanceof Error ? error.message : error}`)
  }
}

const main = async (): Promise<number> => {
  let asked: ReturnType<typeof readArguments>
  try {
    asked = readArguments()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 2
  }
  if (asked === 'help') {
    console.log(help)
    return 0
  }
  if (!existsSync(yoke)) {
    console.error('There is no dist/yoke to measure: run `npm run build` first.')
    return 1
  }
  const { name, bench, options, json } = asked
  const folder = mkdtempSync(join(tmpdir(), 'yoke-bench-'))
  try {
    const head = { bench: name, date: today(), machine: machine() }
    console.log(`${name}, ${head.date}, ${head.machine}`)
    const figures = await bench.run(folder, options)
    if (json !== undefined) writeFileSync(json, `${JSON.stringify({ ...head, ...figures })}\n`)
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main()
