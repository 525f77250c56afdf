import { createHash } from 'node:crypto'
import { type CanonicalBlock, canonicalBlocks } from './canonical.ts'
import type { MessagesRequest } from './messages-request.ts'

/** One prefix that the provider holds. */
export type CacheEntry = {
  /** Hash over the model and the prefix. */
  readonly prefix: string
  readonly lifetimeMs: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Counts of input tokens, under the names of the Messages API. */
export type InputUsage = {
  readonly input_tokens: number
  readonly cache_read_input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number
    readonly ephemeral_1h_input_tokens: number
  }
}

const lifetimeMs = { '5m': 300_000, '1h': 3_600_000 } as const

/**
 * The provider looks for an earlier prefix at so many places, of which the breakpoint is the first. Tool uses that follow each other are one
 * place, and so are results (its documentation of 2026-11).
 */
export const lookBack = 20

/** About four bytes of English or code make a token. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/**
 * The provider's prompt cache, as it is documented: a breakpoint stores the prefix that ends on it, for five minutes or an
 * hour; a later request reads the longest stored prefix that ends at one of the 20 places up to and with a breakpoint; reading
 * renews the lifetime. `now` is in milliseconds since the epoch. What ends on a breakpoint before `least` tokens is not stored.
 */
export const bookRequest = (
  entries: readonly CacheEntry[],
  request: MessagesRequest,
  now: number,
  least = 0,
): { readonly entries: readonly CacheEntry[]; readonly usage: InputUsage } => {
  const live = new Map(
    entries.filter(({ expiresAt }) => expiresAt > now).map((entry) => [entry.prefix, entry]),
  )
  const ends = prefixEnds(request, least)
  const read = ends.findLast(({ prefix, reachable }) => reachable && live.has(prefix))

  const stored = ends.flatMap(({ prefix, breakpoint }) =>
    breakpoint === undefined
      ? []
      : [renewed(prefix, live.get(prefix)?.lifetimeMs ?? 0, lifetimeMs[breakpoint], now)],
  )
  const renewal = read === undefined ? undefined : live.get(read.prefix)
  if (renewal !== undefined) stored.unshift(renewed(renewal.prefix, renewal.lifetimeMs, 0, now))
  for (const entry of stored) live.set(entry.prefix, entry)

  const upTo = (found: PrefixEnd | undefined) => found?.tokens ?? 0
  const readTokens = upTo(read)
  const hour = Math.max(readTokens, upTo(ends.findLast(({ breakpoint }) => breakpoint === '1h')))
  const written = Math.max(hour, upTo(ends.findLast(({ breakpoint }) => breakpoint !== undefined)))
  return {
    entries: [...live.values()],
    usage: {
      input_tokens: upTo(ends.at(-1)) - written,
      cache_read_input_tokens: readTokens,
      cache_creation_input_tokens: written - readTokens,
      cache_creation: {
        ephemeral_5m_input_tokens: written - hour,
        ephemeral_1h_input_tokens: hour - readTokens,
      },
    },
  }
}

/** All input tokens of a request, cached or not. */
export const inputTokens = (request: MessagesRequest): number =>
  canonicalBlocks(request).reduce((sum, { json }) => sum + estimateTokens(json), 0)

const renewed = (prefix: string, before: number, wanted: number, now: number): CacheEntry => {
  const lifetime = Math.max(before, wanted)
  return { prefix, lifetimeMs: lifetime, expiresAt: now + lifetime }
}

type PrefixEnd = {
  readonly prefix: string
  readonly breakpoint: CanonicalBlock['breakpoint']
  /** Of the whole prefix. */
  readonly tokens: number
  /** It is one of the places that a breakpoint is looked back from. */
  readonly reachable: boolean
}

/** Every place where a prefix of the request can end: after each of its blocks. */
const prefixEnds = (request: MessagesRequest, least: number): readonly PrefixEnd[] => {
  const hash = createHash('sha256').update(request.model)
  const blocks = canonicalBlocks(request)
  const places = placesOf(blocks)
  let tokens = 0
  return blocks.map(({ json, breakpoint }, index) => {
    hash.update('\n').update(json)
    tokens += estimateTokens(json)
    const next = blocks.findIndex((later, at) => at >= index && later.breakpoint !== undefined)
    return {
      prefix: hash.copy().digest('base64'),
      breakpoint: tokens < least ? undefined : breakpoint,
      tokens,
      reachable: next !== -1 && (places[next] ?? 0) - (places[index] ?? 0) < lookBack,
    }
  })
}

const runs = new Set(['tool_use', 'tool_result'])

/** The place of each block, as they are counted on the way back. */
const placesOf = (blocks: readonly CanonicalBlock[]): readonly number[] => {
  let place = 0
  return blocks.map(({ type }, index) => {
    if (!runs.has(type) || blocks[index - 1]?.type !== type) place += 1
    return place
  })
}
