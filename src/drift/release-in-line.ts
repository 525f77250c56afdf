const versionKey = Buffer.from('"version":"')
const quote = 0x22
/** The release stands in the last few hundred bytes of a record. */
const tail = 320
/** After so many lines that do not say, only one in so many is looked at. */
const patience = 16

/** Returns a function that finds the release that wrote a line, without parsing it; undefined when its end does not say. */
export const releaseFinder = () => {
  let last = ''
  let lastBytes: Buffer = Buffer.alloc(0)
  /** From the end of a line to its release, in the last one that said it. */
  let distance = 0
  let seen = 0
  let misses = 0

  const isLast = (bytes: Buffer, at: number): boolean => {
    if (last === '') return false
    for (let index = 0; index < lastBytes.length; index += 1)
      if (bytes[at + index] !== lastBytes[index]) return false
    return true
  }

  const find = (bytes: Buffer, start: number, end: number): number => {
    // The records of a release end alike.
    const alike = end - distance
    if (alike > start && isLast(bytes, alike)) return alike
    const from = Math.max(start, end - tail)
    const at = bytes.subarray(from, end).lastIndexOf(versionKey)
    return at === -1 ? -1 : from + at + versionKey.length
  }

  return (bytes: Buffer, start: number, end: number): string | undefined => {
    seen += 1
    if (misses > patience && seen % patience !== 0) return undefined
    const first = find(bytes, start, end)
    misses = first === -1 ? misses + 1 : 0
    if (first === -1) return undefined
    distance = end - first
    if (isLast(bytes, first)) return last
    let close = first
    while (close < end && bytes[close] !== quote) close += 1
    last = bytes.toString('latin1', first, close)
    lastBytes = Buffer.from(bytes.subarray(first, close + 1))
    return last
  }
}
