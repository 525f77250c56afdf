import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { parseDuration } from '../task/duration.ts'
import { areas } from '../vectors/areas.ts'
import { startRunner } from '../vectors/external.ts'
import { vectorFiles } from '../vectors/files.ts'
import { type Format, formatResults, formats } from '../vectors/formats.ts'
import { loadCases } from '../vectors/load.ts'
import { ownImplementation, runCases } from '../vectors/run.ts'

type Options = {
  readonly runner?: unknown
  readonly area?: string | readonly string[]
  readonly format?: string
  readonly timeout?: string | number
}

export const define: Define = (cli) => {
  cli
    .command('vectors', 'Run the test vectors on yoke itself, or on another implementation')
    .option(
      '--runner <command>',
      'A program that answers {area, input} lines with {output} lines, one JSON object each',
    )
    .option('--area <name>', 'Only the cases of this area (repeatable)')
    .option('--format <text|tap|junit|json>', 'How the results are printed (default: text)')
    .option('--timeout <duration>', 'What the program may take for one case (default: 10s)')
    .example('  yoke vectors')
    .example('  yoke vectors --runner "python3 my_yoke.py" --area keep --area slug')
    .action(({ runner, area, format, timeout }: Options) =>
      runVectors(
        {
          ...(runner === undefined ? {} : { runner: runnerOf(runner) }),
          ...(area === undefined ? {} : { area: [area].flat().map(String) }),
          ...(format === undefined ? {} : { format: formatOf(format) }),
          ...(timeout === undefined ? {} : { timeoutMs: timeoutOf(timeout) }),
        },
        { stdout: (text) => process.stdout.write(text) },
      ),
    )
}

/** The parser makes a number of an empty text. */
const runnerOf = (given: unknown): string => {
  if (typeof given === 'string' && given.trim() !== '') return given
  throw new YokeError(
    'E_USAGE',
    '--runner needs one command.',
    'Say how your program is started, such as --runner "python3 runner.py".',
    exitCode.usage,
  )
}

const formatOf = (given: string): Format => {
  const found = formats.find((format) => format === given)
  if (found !== undefined) return found
  throw new YokeError(
    'E_USAGE',
    `--format cannot be ${given}.`,
    `Say one of: ${formats.join(', ')}.`,
    exitCode.usage,
  )
}

const timeoutOf = (given: string | number): number => {
  const ms = parseDuration(given)
  if (ms !== undefined && ms > 0) return ms
  throw new YokeError(
    'E_USAGE',
    `--timeout cannot be ${given}.`,
    'Say a duration, such as 10s.',
    exitCode.usage,
  )
}

export type VectorsOptions = {
  /** A shell command that answers cases; yoke itself when it is left out. */
  readonly runner?: string
  /** All areas when it is left out. */
  readonly area?: readonly string[]
  readonly format?: Format
  /** For the answer to one case, 10 seconds when it is left out. */
  readonly timeoutMs?: number
}

/** Runs the cases of `vectors/` and writes the results. Returns 0 when no case failed, else 1. Throws `E_UNKNOWN_AREA` (exit 2). */
export const runVectors = async (
  { runner: command, area, format = 'text', timeoutMs = 10_000 }: VectorsOptions,
  io: { readonly stdout: (text: string) => void },
): Promise<number> => {
  const unknown = area?.find((name) => !Object.hasOwn(areas, name))
  if (unknown !== undefined)
    throw new YokeError(
      'E_UNKNOWN_AREA',
      `There is no area "${unknown}" of vectors.`,
      `The areas are ${Object.keys(areas).join(', ')}.`,
      exitCode.usage,
    )
  const cases = loadCases(vectorFiles(), areas).filter(
    (each) => area === undefined || area.includes(each.area),
  )
  const runner = command === undefined ? undefined : startRunner({ command, timeoutMs })
  try {
    const results = await runCases(cases, runner?.ask ?? ownImplementation(areas), () => performance.now())
    io.stdout(formatResults(results, format))
    return results.some(({ status }) => status === 'failed') ? exitCode.failed : exitCode.done
  } finally {
    await runner?.close()
  }
}
