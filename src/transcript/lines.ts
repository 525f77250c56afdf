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

const largestChunk = 1 << 20
const lineFeed = 0x0a

/**
 * Hands over every line of an open file. Lines end in byte 0x0A and nothing else: U+2028, U+2029 and U+0085 are ordinary
 * text in JSON (Ruya-AI/cozempic#151 lost records over that). While the lines of one chunk are taken the system reads the
 * next one. Holds a few chunks, or one line where that is longer.
 */
export const eachLine = async (handle: FileHandle, take: TakeLine): Promise<void> => {
  const chunk = Math.min((await handle.stat()).size + 1, largestChunk)
  let memory = Buffer.allocUnsafeSlow(4 * chunk)
  let from = 0
  let held = 0
  let offset = 0
  const fill = () => handle.read(memory, held, chunk, offset + held - from)
  let reading = fill()
  for (;;) {
    const { bytesRead } = await reading
    if (bytesRead === 0) break
    const searched = held
    held += bytesRead
    const bytes = memory.subarray(from, held)
    const hasRoom = held + chunk <= memory.length
    if (hasRoom) {
      reading = fill()
      // Where a line makes the scan fail nobody waits for it.
      reading.catch(() => undefined)
    }
    const used = takeWhole(bytes, searched - from, offset, take)
    from += used
    offset += used
    if (hasRoom) continue
    const rest = memory.subarray(from, held)
    if (2 * rest.length > memory.length) memory = Buffer.allocUnsafeSlow(2 * memory.length)
    rest.copy(memory)
    held = rest.length
    from = 0
    reading = fill()
  }
  if (held > from) take(memory.subarray(from, held), 0, held - from, offset, false)
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
