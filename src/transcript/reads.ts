import type { Content } from './content.ts'
import { type Entry, type ReadRequest, rangeKey } from './entry.ts'
import type { KeepMatcher, RealPath } from './keep-paths.ts'
import type { LiveChain } from './links.ts'

/** File content in the conversation that a KEEP entry names. */
export type Read = ReadRequest & {
  readonly content: 'text' | 'media'
  /** Position of the record that holds the content. */
  readonly at: number
  readonly tokens: number
} & (
    | { readonly kind: 'pair'; readonly id: string; readonly use: number }
    /** A file that the CLI put in itself: a mention in a prompt, or what a compaction attached anew. */
    | { readonly kind: 'attachment' }
  )

export type ReadChoice = {
  /** In the order of the file. */
  readonly reads: readonly Read[]
  /** KEEP entries that name no content in the conversation. */
  readonly unmatched: readonly string[]
}

/**
 * The newest content of each kept file, one for each offset and limit. Errors, "unchanged" stubs and pointers to spilled output
 * are passed over for an older Read that has content (anthropics/claude-code#46749); pictures count only when an entry is
 * their very name (#85179). Parallel results are side branches (#31328): a result counts when its tool use does, a tool use when
 * a line of its message is in the chain.
 */
export const chooseReads = (
  entries: readonly Entry[],
  { isLive }: LiveChain,
  keep: readonly string[],
  match: KeepMatcher,
  realPath: RealPath,
): ReadChoice => {
  const matched = new Set<string>()
  const newest = new Map<string, Read>()
  const uses = new Map<
    string,
    { readonly at: number; readonly path: string; offset?: number; limit?: number }
  >()
  const offer = (read: Read) => {
    const matches = match(read.path).filter(({ exact }) => exact || read.content === 'text')
    if (matches.length === 0) return
    for (const { entry } of matches) matched.add(entry)
    const file = realPath(read.path).normalize('NFC')
    newest.set(JSON.stringify([file, rangeKey(read)]), read)
  }
  for (const entry of entries) {
    const { at } = entry
    if (entry.kind === 'answer') {
      if (!isLive(at) && !isLive(entry.message)) continue
      for (const block of entry.blocks)
        if (block.kind === 'tool-use' && block.read !== undefined) uses.set(block.id, { at, ...block.read })
    } else if (entry.kind === 'results') {
      for (const { id, content } of entry.results) {
        const use = uses.get(id)
        if (use === undefined || !isContent(content)) continue
        const { at: useAt, ...request } = use
        offer({ kind: 'pair', ...request, content, id, use: useAt, at, tokens: entry.tokens })
      }
    } else if (
      entry.kind === 'attachment' &&
      entry.file !== undefined &&
      isContent(entry.content) &&
      isLive(at)
    ) {
      offer({ kind: 'attachment', path: entry.file, content: entry.content, at, tokens: entry.tokens })
    }
  }
  return {
    reads: [...newest.values()].sort((a, b) => a.at - b.at),
    unmatched: keep.filter((entry) => !matched.has(entry)),
  }
}

const isContent = (content: Content): content is 'text' | 'media' => content === 'text' || content === 'media'

/** The newest reads that together make up at most half of the tokens; at least the newest one. */
export const newestHalf = (reads: readonly Read[]): readonly Read[] => {
  const half = reads.reduce((sum, { tokens }) => sum + tokens, 0) / 2
  let sum = 0
  const first = reads.findLastIndex(({ tokens }, index) => {
    sum += tokens
    return index < reads.length - 1 && sum > half
  })
  return reads.slice(first + 1)
}
