import type { FileHandle } from 'node:fs/promises'

/** One line of the source, without its line feed. `bytes` is only valid during the call that hands it over. */
export type Line = {
  readonly bytes: Buffer
  /** Where it begins in the file. */
  readonly offset: number
  /** From 1. */
  readonly number: number
  /** False for a last line without a line feed. */
  readonly ended: boolean
}

const chunkSize = 4 << 20
const lineFeed = 0x0a

/**
 * Hands over every line of an open file. Lines end in byte 0x0A and nothing else: U+2028, U+2029 and U+0085 are ordinary
 * text in JSON (Ruya-AI/cozempic#151 lost records over that). Holds one chunk, or one line where that is longer.
 */
export const eachLine = async (handle: FileHandle, take: (line: Line) => void): Promise<void> => {
  let buffer = Buffer.allocUnsafe(chunkSize)
  let held = 0
  let offset = 0
  let number = 0
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
    const { bytesRead } = await handle.read(buffer, held, buffer.length - held, offset + held)
    if (bytesRead === 0) break
    let start = 0
    let end = buffer.indexOf(lineFeed, held)
    held += bytesRead
    while (end !== -1 && end < held) {
      number += 1
      take({ bytes: buffer.subarray(start, end), offset: offset + start, number, ended: true })
      start = end + 1
      end = buffer.indexOf(lineFeed, start)
    }
    buffer.copyWithin(0, start, held)
    offset += start
    held -= start
  }
  if (held > 0) take({ bytes: buffer.subarray(0, held), offset, number: number + 1, ended: false })
}
