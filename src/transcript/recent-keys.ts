/** Finds what was stored under a key among at least the last `span` ones; what is older than two spans is forgotten. */
export type RecentKeys = {
  /** Returns false, and stores nothing, when the key is there already. `total` is below 2^32. */
  readonly add: (low: number, high: number, index: number, total: number) => boolean
  /** The slot of a key, -1 when it is not there. Valid until the next call. */
  readonly find: (low: number, high: number) => number
  readonly indexAt: (slot: number) => number
  readonly totalAt: (slot: number) => number
}

const span = 1 << 15
/** Words of a slot: the two hashes, the index plus one (0: the slot is free), the total. */
const width = 4

type Table = { readonly words: Uint32Array; readonly mask: number; count: number }

const makeTable = (slots: number): Table => ({
  words: new Uint32Array(slots * width),
  mask: slots - 1,
  count: 0,
})

/** Open addressing in typed arrays: a Map of strings takes ten times the memory, and a session can have millions of records. */
export const recentKeys = (): RecentKeys => {
  let young = makeTable(1 << 10)
  let old = makeTable(1)
  let found = young

  /** Where the key stands in the table, or where it would. */
  const placeIn = ({ words, mask }: Table, low: number, high: number): number => {
    let slot = (low ^ (low >>> 15)) & mask
    for (;;) {
      const at = slot * width
      if (words[at + 2] === 0 || (words[at] === low && words[at + 1] === high)) return at
      slot = (slot + 1) & mask
    }
  }

  const put = (table: Table, at: number, low: number, high: number, index: number, total: number) => {
    table.words[at] = low
    table.words[at + 1] = high
    table.words[at + 2] = index
    table.words[at + 3] = total
    table.count += 1
  }

  const makeRoom = () => {
    if (young.count * 2 <= young.mask) return
    if (young.count >= span) {
      old = young
      young = makeTable(old.mask + 1)
      return
    }
    const larger = makeTable((young.mask + 1) * 2)
    const { words } = young
    for (let at = 0; at < words.length; at += width) {
      const index = words[at + 2] ?? 0
      const low = words[at] ?? 0
      const high = words[at + 1] ?? 0
      const total = words[at + 3] ?? 0
      if (index !== 0) put(larger, placeIn(larger, low, high), low, high, index, total)
    }
    young = larger
  }

  const holds = (table: Table, at: number) => table.words[at + 2] !== 0

  const find = (signedLow: number, signedHigh: number): number => {
    const low = signedLow >>> 0
    const high = signedHigh >>> 0
    found = young
    let at = placeIn(young, low, high)
    if (holds(young, at)) return at
    if (old.count === 0) return -1
    found = old
    at = placeIn(old, low, high)
    return holds(old, at) ? at : -1
  }

  return {
    add: (signedLow, signedHigh, index, total) => {
      const low = signedLow >>> 0
      const high = signedHigh >>> 0
      const at = placeIn(young, low, high)
      if (holds(young, at)) return false
      if (old.count > 0 && holds(old, placeIn(old, low, high))) return false
      put(young, at, low, high, index + 1, total)
      makeRoom()
      return true
    },
    find,
    indexAt: (slot) => (found.words[slot + 2] ?? 0) - 1,
    totalAt: (slot) => found.words[slot + 3] ?? 0,
  }
}
