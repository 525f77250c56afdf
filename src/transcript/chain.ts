import type { Damage } from './damage.ts'
import type { Entry } from './entry.ts'

/** The part of a session that the next request would be made of. */
export type Chain = {
  /** Indices into the entries, ascending. */
  readonly live: ReadonlySet<number>
  readonly damage: readonly Damage[]
}

/**
 * Walks from the newest record to the root. Where a parent is missing or leads back into the chain, the walk goes on with the
 * record that stands before it in the file, as the CLI does since 2.1.91 (anthropics/claude-code#45286, #58554). It passes the
 * boundary of a compaction, because records before it may be preserved; `logicalParentUuid` is never followed (#40027). Then
 * it takes in what hangs beside the chain: the lines of a message of which one is in it, and the results of its tool uses
 * (#31328: parallel results are side branches).
 */
export const liveChain = (entries: readonly Entry[]): Chain => {
  const damage: Damage[] = []
  const positions = new Map<string, number>()
  for (const [index, { uuid, sidechain }] of entries.entries())
    if (uuid !== undefined && !sidechain && !positions.has(uuid)) positions.set(uuid, index)

  const live = new Set<number>()
  let at = entries.findLastIndex(isLeaf)
  while (at !== -1) {
    live.add(at)
    const entry = entries[at]
    if (entry === undefined) break
    const parent = entry.parent == null ? undefined : positions.get(entry.parent)
    if (parent !== undefined && !live.has(parent)) {
      at = parent
      continue
    }
    if (entry.parent === null && entry.kind !== 'boundary') break
    if (entry.kind !== 'boundary')
      damage.push({
        line: entry.source.line,
        kind: parent === undefined ? 'missing-parent' : 'cycle',
        mended: true,
      })
    at = precedingOutside(entries, live, at)
  }
  addSiblings(entries, live)
  return { live, damage }
}

/** Progress records fork the chain (anthropics/claude-code#35024): none is the end of it. */
const isLeaf = (entry: Entry) => !entry.sidechain && entry.label !== 'progress'

const precedingOutside = (entries: readonly Entry[], live: ReadonlySet<number>, from: number): number => {
  for (let index = from - 1; index >= 0; index -= 1) {
    const entry = entries[index]
    if (entry !== undefined && !entry.sidechain && !live.has(index)) return index
  }
  return -1
}

const addSiblings = (entries: readonly Entry[], live: Set<number>): void => {
  const messages = new Set<string>()
  for (const index of live) {
    const entry = entries[index]
    if (entry?.kind === 'answer' && entry.message !== undefined) messages.add(entry.message)
  }
  const uses = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    if (entry.kind !== 'answer' || entry.sidechain) continue
    if (entry.message !== undefined && messages.has(entry.message)) live.add(index)
    if (!live.has(index)) continue
    for (const block of entry.blocks) if (block.kind === 'tool-use') uses.add(block.id)
  }
  for (const [index, entry] of entries.entries())
    if (entry.kind === 'results' && !entry.sidechain && entry.results.some(({ id }) => uses.has(id)))
      live.add(index)
}
