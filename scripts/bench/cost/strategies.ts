import type { Account } from './books.ts'
import type { Floor } from './late.ts'

/** What the front matter of each strategy says; all else is the same, but for a window of a million tokens once. */
export const strategies = {
  fresh: { front: ['context-fork-every: 1', 'trim: off'], window: 200_000 },
  resume: { front: ['trim: off'], window: 200_000 },
  'resume, 1M window': { front: ['trim: off'], window: 1_000_000 },
  'trim, drop stale': { front: ['stale-reads: drop'], window: 200_000 },
  'trim (default)': { front: [], window: 200_000 },
  'trim, fork every 5': { front: ['context-fork-every: 5'], window: 200_000 },
} as const

export type Strategy = keyof typeof strategies
export const names = Object.keys(strategies) as readonly Strategy[]

/** One strategy in one setting. */
export type Run = {
  readonly strategy: Strategy
  readonly share: number
  readonly pause: number
  readonly repeat: number
  readonly accounts: readonly Account[]
  /** Of each iteration. */
  readonly floors: readonly Floor[]
  readonly compactions: number
  /** Requests that were longer than the window. */
  readonly refused: number
  readonly rereads: number
}
