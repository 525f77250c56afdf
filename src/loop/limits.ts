import type { RunState } from './state.ts'

/** Milliseconds that this run has worked: neither the time between a stop and a resume, nor waits for a limit. */
export const elapsedMs = (state: RunState, now: number): number =>
  state.activeMs + now - state.activeSince - state.waitedMs

/** The limit that forbids another iteration, as a sentence, or undefined (§3.4). */
export const reachedLimit = (state: RunState, now: number): { reason: string; fix: string } | undefined => {
  const { directives } = state
  const iterations = directives['max-iterations']
  if (state.iteration >= iterations) return limit(`${iterations} iterations are used up`, 'max-iterations')
  const cost = directives['max-cost-usd']
  if (cost !== undefined && state.costUsd >= cost)
    return limit(`$${state.costUsd.toFixed(2)} of $${cost.toFixed(2)} are spent`, 'max-cost-usd')
  const duration = directives['max-duration']
  if (duration !== undefined && elapsedMs(state, now) >= duration)
    return limit(`the run has worked for ${Math.round(elapsedMs(state, now) / 1000)} seconds`, 'max-duration')
  return undefined
}

const limit = (what: string, key: string) => ({
  reason: `The limit is reached: ${what}.`,
  fix: `Run \`yoke resume --${key} VALUE\` with a higher value to go on.`,
})
