import { type Account, costOf, price } from './books.ts'
import type { Run, Strategy } from './strategies.ts'

/** The tenth iteration is the first one that is late. */
export const lateFrom = 9

/**
 * What is left to pay in an iteration when nothing that was there before is sent again, in dollars. Taken from a plain resume in which nothing is
 * lost, so that nothing is read twice, and with no pause, so that nothing is written twice.
 */
export type Floor = {
  /** Output, what is new written once, and system and tools read in each call: no strategy can pay less. */
  readonly any: number
  /** With what was new in the turn read in each later call of it: nothing that acts between turns can pay less. */
  readonly ofTurns: number
  /** With the files that the job needs from before read in each call too: nothing that acts between turns and has them at hand can pay less. */
  readonly ofNeeds: number
}

/** `needed`: tokens of the files from before. `isCold`: after the pause the provider has forgotten system, tools and these. */
export const floorOf = (account: Account, needed: number, isCold: boolean): Floor => {
  const { tokens, calls, head, ownRead } = account
  const renewal = isCold ? price.write5m - price.read : 0
  const any = costOf([{ ...account, tokens: { ...tokens, read: head } }]) + ((head / calls) * renewal) / 1e6
  const ofTurns = any + (ownRead * price.read) / 1e6
  return { any, ofTurns, ofNeeds: ofTurns + (needed * (calls * price.read + renewal)) / 1e6 }
}

export const runOf = (runs: readonly Run[], strategy: Strategy, repeat: number): Run | undefined =>
  runs.find((run) => run.strategy === strategy && run.repeat === repeat)

/** Dollars of the late iterations of one repeat. */
export const lateFloor = (runs: readonly Run[], repeat: number, kind: keyof Floor): number =>
  runOf(runs, 'resume, 1M window', repeat)
    ?.floors.slice(lateFrom)
    .reduce((sum, floor) => sum + floor[kind], 0) ?? Number.NaN
