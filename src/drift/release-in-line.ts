const versionKey = Buffer.from('"version":"')
const quote = 0x22
/** The release stands in the last few hundred bytes of a record. */
const tail = 320

/** Returns a function that finds the release that wrote a line, without parsing it; undefined when its end does not say. */
export const releaseFinder = () => {
  let last = ''
  let lastBytes: Buffer = Buffer.alloc(0)

  const isLast = (bytes: Buffer, at: number): boolean => {
    if (last === '') return false
    for (let index = 0; index < lastBytes.length; index += 1)
      if (bytes[at + index] !== lastBytes[index]) return false
    return true
  }

  return (bytes: Buffer, start: number, end: number): string | undefined => {
    const from = Math.max(start, end - tail)
    const at = bytes.subarray(from, end).lastIndexOf(versionKey)
    if (at === -1) return undefined
    const first = from + at + versionKey.length
    if (isLast(bytes, first)) return last
    let close = first
    while (close < end && bytes[close] !== quote) close += 1
    last = bytes.toString('latin1', first, close)
    lastBytes = Buffer.from(bytes.subarray(first, close + 1))
    return last
  }
}
