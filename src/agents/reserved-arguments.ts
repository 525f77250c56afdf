import { exitCode, YokeError } from '../errors.ts'

/** Options of the agent that yoke itself sets, each with the reason, and how its CLI reads options that are glued together. */
export type Reserved = {
  readonly options: ReadonlyMap<string, string>
  /** Letters whose value may be glued to them: what stands behind one in the same argument is no option. */
  readonly valued?: string
}

/** Refuses options of the agent that yoke itself sets, in each way of writing them. Throws `E_AGENT_ARGS`, exit code 2. */
export const refuseReserved = ({ options, valued = '' }: Reserved, extraArgs: readonly string[]): void => {
  for (const argument of extraArgs) {
    const reason = namesIn(argument, valued)
      .map((name) => options.get(name))
      .find((each) => each !== undefined)
    if (reason === undefined) continue
    const written = argument.split('=', 1)[0] ?? argument
    throw new YokeError(
      'E_AGENT_ARGS',
      `\`agent-args\` may not hold \`${written}\`: ${reason}.`,
      `Take \`${written}\` out of \`agent-args\`.`,
      exitCode.usage,
    )
  }
}

/** The options that an argument may stand for: CLIs take `--printLogs`, `--no-print-logs`, `-cs` and `-sses_1` without a word. */
const namesIn = (argument: string, valued: string): readonly string[] => {
  const [, long] = /^--([^=.]+)/.exec(argument) ?? []
  if (long !== undefined) {
    const name = long.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
    return [`--${long}`, `--${name}`, `--${name.replace(/^no-/, '')}`]
  }
  const letters = /^-(\w+)/.exec(argument)?.[1] ?? ''
  const end = [...letters].findIndex((letter) => valued.includes(letter))
  return [...(end === -1 ? letters : letters.slice(0, end + 1))].map((letter) => `-${letter}`)
}
