import type { FileHandle } from 'node:fs/promises'

/** Where a line stands in a buffer, which holds it only during the call; the line feed is not part of it. */
export type TakeLine = (
  buffer: Buffer,
  start: number,
  end: number,
  /** Where it begins in the file. */
  offset: number,
  /** False for a last line without a line feed. */
  ended: boolean,
) => void

const chunkSize = 1 << 20
const lineFeed = 0x0a

/**
 * Hands over every line of an open file. Lines end in byte 0x0A and nothing else: U+2028, U+2029 and U+0085 are ordinary
 * text in JSON (Ruya-AI/cozempic#151 lost records over that). Holds one chunk, or one line where that is longer.
 */
export const eachLine = async (handle: FileHandle, take: TakeLine): Promise<void> => {
  let buffer = Buffer.allocUnsafe(chunkSize)
  let held = 0
  let searched = 0
  let offset = 0
  for (;;) {
    if (held === buffer.length) {
      const larger = Buffer.allocUnsafe(buffer.length * 2)
      buffer.copy(larger, 0, 0, held)
      buffer = larger
    }
    const { bytesRead } = await handle.read(buffer, held, buffer.length - held, offset + held)
    if (bytesRead === 0) break
    held += bytesRead
    const used = takeWhole(buffer.subarray(0, held), searched, offset, take)
    buffer.copyWithin(0, used, held)
    offset += used
    held -= used
    searched = held
  }
  if (held > 0) take(buffer.subarray(0, held), 0, held, offset, false)
}

/** Hands over the lines that end within the bytes; `searched` bytes are known to hold no line feed. Returns where the rest begins. */
const takeWhole = (bytes: Buffer, searched: number, offset: number, take: TakeLine): number => {
  let start = 0
  for (let end = bytes.indexOf(lineFeed, searched); end !== -1; end = bytes.indexOf(lineFeed, start)) {
    take(bytes, start, end, offset + start, true)
    start = end + 1
  }
  return start
}

/** Hands over every line of bytes that are all there. */
export const eachLineOf = (bytes: Buffer, take: TakeLine): void => {
  const rest = takeWhole(bytes, 0, 0, take)
  if (rest < bytes.length) take(bytes, rest, bytes.length, rest, false)
}
