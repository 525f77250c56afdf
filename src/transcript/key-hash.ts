/** Two independent 32-bit hashes of some bytes; equal bytes have equal hashes, and two of a million uuids collide once in 10^7 files. */
export type KeyHash = { low: number; high: number }

/** Writes the hashes into `into`: this runs twice for every line of a file. */
export const hashBytes = (bytes: Buffer, start: number, end: number, into: KeyHash): KeyHash => {
  let low = 0x811c9dc5
  let high = end - start
  let at = start
  for (; at + 4 <= end; at += 4) {
    const word = Math.imul(bytes.readInt32LE(at), 0xcc9e2d51)
    const turned = (word << 15) | (word >>> 17)
    low = Math.imul(low ^ turned, 0x01000193)
    low = (low << 13) | (low >>> 19)
    high = Math.imul(high ^ word, 0x85ebca6b) + 0x7f4a7c15
    high ^= high >>> 13
  }
  for (; at < end; at += 1) {
    const byte = bytes[at] ?? 0
    low = Math.imul(low ^ byte, 0x01000193)
    high = Math.imul((high ^ byte) + 0x7f4a7c15, 0x85ebca6b)
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b)
  into.low = (low ^ (low >>> 13)) | 0
  into.high = high | 0
  return into
}

export const hashText = (text: string): KeyHash => {
  const bytes = Buffer.from(text)
  return hashBytes(bytes, 0, bytes.length, { low: 0, high: 0 })
}
