import { exitCode, YokeError } from '../errors.ts'

/** Refuses options of the agent that yoke itself sets; each with the reason. Throws `E_AGENT_ARGS`, exit code 2. */
export const refuseReserved = (reserved: ReadonlyMap<string, string>, extraArgs: readonly string[]): void => {
  for (const argument of extraArgs) {
    const option = argument.split('=', 1)[0] ?? argument
    const reason = reserved.get(option)
    if (reason !== undefined)
      throw new YokeError(
        'E_AGENT_ARGS',
        `\`agent-args\` may not hold \`${option}\`: ${reason}.`,
        `Take \`${option}\` out of \`agent-args\`.`,
        exitCode.usage,
      )
  }
}
