import type { Account } from './books.ts'
import type { Floor } from './late.ts'

/** Of the job; it leaves the thoughts of earlier turns in the cache, which those before it do not. */
export const model = 'claude-sonnet-4-6'

/** Claude Code compacts by itself at some 170,000 of 200,000 tokens, or of a million where the name says so. */
const usual = { model, window: 200_000 } as const
const wide = { model: `${model}[1m]`, window: 1_000_000 } as const

/** What the front matter of each strategy says; all else is the same. */
export const strategies = {
  fresh: { front: ['context-fork-every: 1', 'trim: off'], ...usual },
  resume: { front: ['trim: off'], ...usual },
  'resume, 1M window': { front: ['trim: off'], ...wide },
  'trim, drop stale': { front: ['stale-reads: drop'], ...usual },
  'trim (default)': { front: [], ...usual },
  'trim, fork every 5': { front: ['context-fork-every: 5'], ...usual },
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
