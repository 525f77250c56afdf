import type { RunState } from './state.ts'

/** Milliseconds that this run has worked: not while it was stopped or paused, and waits for a limit only if told so. */
export const elapsedMs = (state: RunState, now: number): number =>
  runningMs(state, now) - (state.directives['count-waits'] ? 0 : state.waitedMs)

/** Milliseconds that this run was neither stopped nor paused. */
export const runningMs = ({ activeMs, activeSince, pausedSince }: RunState, now: number): number =>
  activeMs + (pausedSince ?? now) - activeSince

/** `3 cycles are used up`. */
export const usedUp = (most: number, what: string): string =>
  most === 1 ? `the only ${what} is used up` : `${most} ${what}s are used up`

/** A limit that is reached, as a sentence, and whether another plan could go on. */
export type Reached = { readonly reason: string; readonly fix: string; readonly ends: 'loop' | 'run' }

/** The limit that forbids another iteration, or undefined (§3.4). */
export const reachedLimit = (state: RunState, now: number, othersUsd = 0): Reached | undefined => {
  const iterations = state.directives['max-iterations']
  return state.iteration - state.iterationsBefore >= iterations
    ? { ...limit(usedUp(iterations, 'iteration'), 'max-iterations'), ends: 'loop' }
    : reachedRunLimit(state, now, othersUsd)
}

/** The limit that forbids anything more, or undefined. `othersUsd` is what the runs beside it have spent of the same money. */
export const reachedRunLimit = (state: RunState, now: number, othersUsd = 0): Reached | undefined => {
  const { directives } = state
  const cost = directives['max-cost-usd']
  const spent = state.costUsd + othersUsd
  if (cost !== undefined && spent >= cost)
    return {
      ...limit(`$${spent.toFixed(2)} of $${cost.toFixed(2)} are spent`, 'max-cost-usd'),
      ends: 'run',
    }
  const duration = directives['max-duration']
  if (duration !== undefined && elapsedMs(state, now) >= duration)
    return {
      ...limit(`the run has worked for ${Math.round(elapsedMs(state, now) / 1000)} seconds`, 'max-duration'),
      ends: 'run',
    }
  return undefined
}

export const limit = (what: string, key: string) => ({
  reason: `The limit is reached: ${what}.`,
  fix: `Run \`yoke resume --${key} VALUE\` with a higher value to go on.`,
})
