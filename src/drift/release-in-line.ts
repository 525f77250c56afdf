import { type Needle, needle, startsWith } from '../transcript/needle.ts'

const versionKey = Buffer.from('"version":"')
const quote = 0x22
/** The release stands in the last few hundred bytes of a record. */
const tail = 320
/** After so many lines that do not say, only one in so many is looked at. */
const patience = 16

/** Returns a function that finds the release that wrote a line, without parsing it; undefined when its end does not say. */
export const releaseFinder = () => {
  let last = ''
  /** The last release with its closing quote. */
  let lastBytes: Needle | undefined
  /** From the end of a line to its release, in the last one that said it. */
  let distance = 0
  let seen = 0
  let misses = 0

  return (bytes: Buffer, start: number, end: number): string | undefined => {
    // The records of a release end alike.
    if (lastBytes !== undefined && startsWith(bytes, end - distance, lastBytes)) return last
    seen += 1
    if (misses > patience && seen % patience !== 0) return undefined
    const from = Math.max(start, end - tail)
    const key = bytes.subarray(from, end).lastIndexOf(versionKey)
    misses = key === -1 ? misses + 1 : 0
    if (key === -1) return undefined
    const first = from + key + versionKey.length
    let close = first
    while (close < end && bytes[close] !== quote) close += 1
    last = bytes.toString('latin1', first, close)
    distance = end - first
    lastBytes = close - first < 4 ? undefined : needle(`${last}"`)
    return last
  }
}
