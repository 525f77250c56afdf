/** Finds what was stored under a key among at least the last `span` ones; what is older than two spans is forgotten. */
export type RecentKeys = {
  /** Returns false, and stores nothing, when the key is there already. `total` is below 2^32. */
  readonly add: (low: number, high: number, index: number, total: number) => boolean
  /** The slot of a key, -1 when it is not there. Valid until the next call of `add`. */
  readonly find: (low: number, high: number) => number
  readonly indexAt: (slot: number) => number
  readonly totalAt: (slot: number) => number
}

const longestSpan = 1 << 15
/** Of the word of a place: one more than the slot, below a part of the hash that rules out most other keys. */
const slotBits = 17

const wordOf = (high: number, slot: number): number => (high << slotBits) | (slot + 1)
const slotOf = (word: number): number => (word & ((1 << slotBits) - 1)) - 1
const differs = (word: number, high: number): boolean => (word ^ (high << slotBits)) >> slotBits !== 0

/**
 * Typed arrays: a Map of strings takes ten times the memory, and a session can have millions of records. The keys stand in a
 * ring in the order in which they came; two tables of one word a place, which fit into the cache of a core, say where. `most`
 * is how many keys there can be at most.
 */
export const recentKeys = (most: number): RecentKeys => {
  let span = 64
  while (span < most && span < longestSpan) span *= 2
  const size = 2 * span
  const mask = size - 1
  const lows = new Int32Array(size)
  const highs = new Int32Array(size)
  const indices = new Uint32Array(size)
  const totals = new Uint32Array(size)
  let young = new Int32Array(size)
  let old = new Int32Array(size)
  let count = 0

  /** The place in the table where the key stands, or where it would. */
  const placeIn = (table: Int32Array, low: number, high: number): number => {
    let place = (low ^ (low >>> 15)) & mask
    for (;;) {
      const word = table[place] ?? 0
      if (word === 0) return place
      const slot = slotOf(word)
      if (!differs(word, high) && lows[slot] === low && highs[slot] === high) return place
      place = (place + 1) & mask
    }
  }

  const find = (low: number, high: number): number => {
    const slot = slotOf(young[placeIn(young, low, high)] ?? 0)
    return slot !== -1 || count < span ? slot : slotOf(old[placeIn(old, low, high)] ?? 0)
  }

  const startSpan = () => {
    const spare = old
    old = young
    young = spare.fill(0)
  }

  return {
    add: (low, high, index, total) => {
      const place = placeIn(young, low, high)
      if (young[place] !== 0 || (count >= span && old[placeIn(old, low, high)] !== 0)) return false
      const slot = count & mask
      lows[slot] = low
      highs[slot] = high
      indices[slot] = index
      totals[slot] = total
      young[place] = wordOf(high, slot)
      count += 1
      if (count % span === 0) startSpan()
      return true
    },
    find,
    indexAt: (slot) => indices[slot] ?? 0,
    totalAt: (slot) => totals[slot] ?? 0,
  }
}
