/** Finds what was stored under a key among at least the last `span` ones; what is older than two spans is forgotten. */
export type RecentKeys = {
  /** Returns false, and stores nothing, when the key is there already. */
  readonly add: (low: number, high: number, index: number, total: number) => boolean
  /** The slot of a key, -1 when it is not there. Valid until the next `add`. */
  readonly find: (low: number, high: number) => number
  readonly indexAt: (slot: number) => number
  readonly totalAt: (slot: number) => number
}

const span = 1 << 16

type Table = ReturnType<typeof makeTable>

const makeTable = (size: number) => ({
  low: new Int32Array(size),
  high: new Int32Array(size),
  /** The index plus one; 0: the slot is free. */
  index: new Uint32Array(size),
  total: new Float64Array(size),
  count: 0,
})

/** Open addressing in typed arrays: a Map of strings takes ten times the memory, and a session can have millions of records. */
export const recentKeys = (): RecentKeys => {
  let young = makeTable(1 << 10)
  let old: Table = makeTable(1)
  let found = young

  const slotIn = (table: Table, low: number, high: number): number => {
    const mask = table.index.length - 1
    let slot = (low ^ high) & mask
    while (table.index[slot] !== 0 && (table.low[slot] !== low || table.high[slot] !== high))
      slot = (slot + 1) & mask
    return slot
  }

  const put = (table: Table, low: number, high: number, index: number, total: number) => {
    const slot = slotIn(table, low, high)
    table.low[slot] = low
    table.high[slot] = high
    table.index[slot] = index
    table.total[slot] = total
    table.count += 1
  }

  const makeRoom = () => {
    if (young.count * 2 < young.index.length) return
    if (young.count >= span) {
      old = young
      young = makeTable(young.index.length)
      return
    }
    const larger = makeTable(young.index.length * 2)
    for (let slot = 0; slot < young.index.length; slot += 1) {
      const index = young.index[slot] ?? 0
      if (index !== 0) put(larger, young.low[slot] ?? 0, young.high[slot] ?? 0, index, young.total[slot] ?? 0)
    }
    young = larger
  }

  const find = (low: number, high: number): number => {
    found = young
    let slot = slotIn(young, low, high)
    if (young.index[slot] !== 0) return slot
    if (old.count === 0) return -1
    found = old
    slot = slotIn(old, low, high)
    return old.index[slot] === 0 ? -1 : slot
  }

  return {
    add: (low, high, index, total) => {
      if (find(low, high) !== -1) return false
      put(young, low, high, index + 1, total)
      makeRoom()
      return true
    },
    find,
    indexAt: (slot) => (found.index[slot] ?? 0) - 1,
    totalAt: (slot) => found.total[slot] ?? 0,
  }
}
