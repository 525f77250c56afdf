import type { Damage } from './damage.ts'
import type { StaleReason } from './stale.ts'

export type KeptPath = {
  readonly path: string
  /** Lines from `offset` (1: the first), `limit` of them; without `limit` to the end. */
  readonly ranges: readonly { readonly offset: number; readonly limit?: number }[]
  /** Estimated. */
  readonly tokens: number
  readonly state: 'fresh' | 'refreshed'
}

/** What a trim did, or would do. */
export type TrimReport = {
  /** Records by type. */
  readonly records: {
    readonly kept: Readonly<Record<string, number>>
    readonly dropped: Readonly<Record<string, number>>
  }
  readonly paths: readonly KeptPath[]
  /** Kept paths whose content was dropped because it is no longer true, or to make room. */
  readonly dropped: readonly { readonly path: string; readonly reason: StaleReason | 'to make room' }[]
  /** KEEP entries that name nothing that was read. */
  readonly unmatched: readonly string[]
  readonly bytes: { readonly before: number; readonly after: number }
  /**
   * Tokens of the messages in the next request (system prompt and tools come on top), estimated at four bytes each: before,
   * those of the live conversation, which are fewer than the file holds.
   */
  readonly tokens: { readonly before: number; readonly after: number }
  readonly damage: readonly Damage[]
  /** Record types that yoke does not know. They are kept. */
  readonly unknown: readonly { readonly name: string; readonly count: number }[]
}
