import { canonicalBlocks } from '../../../src/probe/canonical.ts'
import type { MessagesRequest } from '../../../src/probe/messages-request.ts'
import { bookRequest, type CacheEntry, estimateTokens } from '../../../src/probe/prompt-cache.ts'

/** Dollars a million tokens, of Claude Sonnet 4.6 (list price of 2026-12), which, other than 4.5, leaves earlier thoughts in the cache: input, cache written for 5 minutes and for an hour, read, output. */
export const price = { input: 3, write5m: 3.75, write1h: 6, read: 0.3, output: 15 } as const

/** The shortest prefix that the provider caches for this model, in tokens. */
export const leastCached = 1024

export type Kind = keyof typeof price
export type Tokens = Readonly<Record<Kind, number>>

const none: Tokens = { input: 0, write5m: 0, write1h: 0, read: 0, output: 0 }
const kinds = Object.keys(price) as readonly Kind[]

const add = (one: Tokens, other: Tokens): Tokens =>
  Object.fromEntries(kinds.map((kind) => [kind, one[kind] + other[kind]])) as Tokens

const dollars = (tokens: Tokens): number =>
  kinds.reduce((sum, kind) => sum + (tokens[kind] * price[kind]) / 1e6, 0)

/** What one iteration came to. */
export type Account = {
  readonly tokens: Tokens
  readonly calls: number
  /** Input tokens of the worker's first request, cached or not. */
  readonly contextAtStart: number
  /** The share of them that was read from the cache. */
  readonly cachedAtStart: number
  /** The most input tokens of a request. */
  readonly peak: number
  /** Tokens of system and tools, of all requests together. */
  readonly head: number
  /** Of all requests together, what earlier ones of this iteration had that its first had not. */
  readonly ownRead: number
}

const emptyAccount: Account = {
  tokens: none,
  calls: 0,
  contextAtStart: 0,
  cachedAtStart: 0,
  peak: 0,
  head: 0,
  ownRead: 0,
}

export const totalOf = (accounts: readonly Account[]): Tokens =>
  accounts.map(({ tokens }) => tokens).reduce(add, none)

export const costOf = (accounts: readonly Account[]): number => dollars(totalOf(accounts))

/**
 * What takes so long by the simulated clock: of a model call the time to the first token, an output token, and the tool that follows;
 * and what stands between two iterations beside the pause.
 */
export const seconds = { first: 2, token: 1 / 70, tool: 1, between: 15 } as const

/** The provider's books for one length of the pause between iterations, on a clock of its own. */
export const openBooks = (pauseMinutes: number) => {
  let clock = 0
  let cache: readonly CacheEntry[] = []
  const accounts: Account[] = []
  /** Input tokens of the request before. */
  let last = 0
  return {
    accounts: accounts as readonly Account[],
    startIteration: () => {
      if (accounts.length > 0) clock += pauseMinutes * 60_000 + 1000 * seconds.between
      accounts.push(emptyAccount)
    },
    /** `isSide`: what the CLI asks for its own ends, such as the summary of a compaction. */
    book: (request: MessagesRequest, output: string, isSide: boolean) => {
      const { entries, usage } = bookRequest(cache, request, clock, leastCached)
      cache = entries
      const outputTokens = estimateTokens(output)
      clock += 1000 * (seconds.first + seconds.token * outputTokens + seconds.tool)
      const { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h } = usage.cache_creation
      const tokens = {
        input: usage.input_tokens,
        write5m,
        write1h,
        read: usage.cache_read_input_tokens,
        output: outputTokens,
      }
      const before = accounts.at(-1) ?? emptyAccount
      const context = tokens.input + write5m + write1h + tokens.read
      const first = before.contextAtStart === 0 && !isSide
      const own = isSide ? 0 : Math.max(0, last - before.contextAtStart)
      if (!isSide) last = context
      accounts[Math.max(0, accounts.length - 1)] = {
        tokens: add(before.tokens, tokens),
        calls: before.calls + 1,
        contextAtStart: first ? context : before.contextAtStart,
        cachedAtStart: first ? tokens.read / context : before.cachedAtStart,
        peak: Math.max(before.peak, context),
        head: before.head + headTokens(request),
        ownRead: before.ownRead + (first ? 0 : own),
      }
      return usage
    },
  }
}

const headTokens = (request: MessagesRequest): number =>
  canonicalBlocks({ ...request, messages: [] }).reduce((sum, { json }) => sum + estimateTokens(json), 0)

export type Books = ReturnType<typeof openBooks>
