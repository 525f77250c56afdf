import { exitCode, YokeError } from '../errors.ts'
import { areas } from '../vectors/areas.ts'
import { startRunner } from '../vectors/external.ts'
import { vectorFiles } from '../vectors/files.ts'
import { type Format, formatResults } from '../vectors/formats.ts'
import { loadCases } from '../vectors/load.ts'
import { ownImplementation, runCases } from '../vectors/run.ts'

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
