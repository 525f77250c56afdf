import type { Damage } from './damage.ts'
import { estimateTokens } from './estimate.ts'
import type { StaleReason } from './read-file.ts'
import type { Read } from './reads.ts'
import { parseRecord } from './record.ts'
import type { Relinked } from './relink.ts'
import type { Scan } from './scan.ts'
import type { KeptRead } from './select.ts'

export type KeptPath = {
  readonly path: string
  /** Lines from `offset` (1: the first), `limit` of them; without `limit` to the end. */
  readonly ranges: readonly { readonly offset: number; readonly limit?: number }[]
  /** Estimated. */
  readonly tokens: number
  readonly state: 'fresh' | 'refreshed'
}

export type DroppedPath = { readonly path: string; readonly reason: StaleReason | 'to make room' }

/** What a trim did, or would do. */
export type TrimReport = {
  /** Records by type. */
  readonly records: {
    readonly kept: Readonly<Record<string, number>>
    readonly dropped: Readonly<Record<string, number>>
  }
  readonly paths: readonly KeptPath[]
  /** Kept paths whose content was dropped because it is no longer true, or to make room. */
  readonly dropped: readonly DroppedPath[]
  /** KEEP entries that name nothing that was read. */
  readonly unmatched: readonly string[]
  readonly bytes: { readonly before: number; readonly after: number }
  /**
   * Tokens of the messages in the next request (system prompt and tools come on top), estimated at four bytes each: before,
   * those of the live conversation, which are fewer than the file holds. `head` are those before the first answer, which stay.
   */
  readonly tokens: { readonly before: number; readonly after: number; readonly head: number }
  readonly damage: readonly Damage[]
  /** Record types that yoke does not know. They are kept. */
  readonly unknown: readonly { readonly name: string; readonly count: number }[]
}

export const reportOf = (trimmed: {
  readonly scan: Scan
  readonly lines: readonly Relinked[]
  readonly kept: readonly KeptRead[]
  readonly dropped: readonly DroppedPath[]
  readonly unmatched: readonly string[]
  readonly bytes: number
}): TrimReport => {
  const { scan, lines, kept, dropped, unmatched } = trimmed
  const keptCounts = new Map<string, number>()
  let tokens = 0
  let head: number | undefined
  for (const { planned, bytes } of lines) {
    const record = parseRecord(bytes)
    if (record === undefined) continue
    const label = planned.do === 'record' ? planned.entry.label : record.type
    keptCounts.set(label, (keptCounts.get(label) ?? 0) + 1)
    if (record.type === 'assistant') head ??= tokens
    tokens += estimateTokens(record)
  }
  const droppedCounts = [...scan.counts]
    .map(([label, total]) => [label, total - (keptCounts.get(label) ?? 0)] as const)
    .filter(([, count]) => count > 0)
  return {
    records: { kept: Object.fromEntries(keptCounts), dropped: Object.fromEntries(droppedCounts) },
    paths: pathsOf(kept),
    dropped,
    unmatched,
    bytes: { before: scan.bytes, after: trimmed.bytes },
    tokens: { before: scan.chain.tokens, after: tokens, head: head ?? tokens },
    damage: [...scan.damage, ...loneSurrogates(lines)].sort((a, b) => a.line - b.line),
    unknown: [...scan.unknown].map(([name, count]) => ({ name, count })),
  }
}

/** JSON.stringify escapes nothing else so; a backslash in the text stands escaped itself. */
const loneSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/** Half a character, which some releases send and the provider refuses (anthropics/claude-code#3277, #68325): kept byte for byte. */
const loneSurrogates = (lines: readonly Relinked[]): readonly Damage[] =>
  lines
    .filter(({ bytes }) => bytes.includes('\\ud') || bytes.includes('\\uD'))
    .filter(({ bytes }) => loneSurrogate.test(JSON.stringify(JSON.parse(bytes.toString('utf8')))))
    .map(({ planned }) => ({ line: planned.source.line, kind: 'lone-surrogate', outcome: 'kept' }))

const pathsOf = (kept: readonly KeptRead[]): readonly KeptPath[] =>
  [...new Set(kept.map(({ path }) => path))].map((path) => {
    const reads = kept.filter((read) => read.path === path)
    return {
      path,
      ranges: reads.map(rangeOf),
      tokens: reads.reduce((sum, { tokens }) => sum + tokens, 0),
      state: reads.some(({ now }) => now !== undefined) ? 'refreshed' : 'fresh',
    }
  })

const rangeOf = ({ offset = 1, limit }: Read) => ({ offset, ...(limit === undefined ? {} : { limit }) })
