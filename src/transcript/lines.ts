import { fstatSync, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

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
/** So many chunks are taken in one go, some milliseconds: a signal or a frame of the live view waits no longer. */
const chunksAtOnce = 4

/**
 * Hands over every line of an open file. Lines end in byte 0x0A and nothing else: U+2028, U+2029 and U+0085 are ordinary
 * text in JSON (Ruya-AI/cozempic#151 lost records over that). Reads synchronously: the way through the thread pool and back
 * takes longer than a chunk. Holds two chunks, or one line where that is longer.
 */
export const eachLine = async (descriptor: number, take: TakeLine, signal?: AbortSignal): Promise<void> => {
  const chunk = Math.min(fstatSync(descriptor).size + 1, largestChunk)
  let memory = Buffer.allocUnsafeSlow(2 * chunk)
  let from = 0
  let held = 0
  let offset = 0
  for (let chunks = 1; ; chunks += 1) {
    if (held + chunk > memory.length) {
      const rest = memory.subarray(from, held)
      if (2 * rest.length > memory.length) memory = Buffer.allocUnsafeSlow(2 * memory.length)
      rest.copy(memory)
      held = rest.length
      from = 0
    }
    const bytesRead = readSync(descriptor, memory, held, chunk, offset + held - from)
    if (bytesRead === 0) break
    const searched = held
    held += bytesRead
    const used = takeWhole(memory.subarray(from, held), searched - from, offset, take)
    from += used
    offset += used
    if (chunks % chunksAtOnce === 0) {
      await setImmediate()
      signal?.throwIfAborted()
    }
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
