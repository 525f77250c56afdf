import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Reads a file that grows, line by line. */
export type Tail = {
  /** The whole lines that have come since the last call. A file that is not there yet has none. */
  readonly lines: () => Generator<string>
}

const chunkBytes = 1024 * 1024

export const openTail = (file: string): Tail => {
  let offset = 0
  let rest = Buffer.alloc(0)
  return {
    lines: function* () {
      let descriptor: number
      try {
        descriptor = openSync(file, 'r')
      } catch {
        return
      }
      try {
        const chunk = Buffer.alloc(chunkBytes)
        for (;;) {
          const read = readSync(descriptor, chunk, 0, chunkBytes, offset)
          if (read === 0) return
          offset += read
          rest = Buffer.concat([rest, chunk.subarray(0, read)])
          for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
            const line = rest.subarray(0, end).toString('utf8')
            rest = rest.subarray(end + 1)
            yield line
          }
        }
      } finally {
        closeSync(descriptor)
      }
    },
  }
}

/** The whole lines within the last part of a file; none when it is not there. */
export const lastLines = (file: string, bytes = 256 * 1024): readonly string[] => {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return []
  }
  try {
    const { size } = fstatSync(descriptor)
    const from = Math.max(0, size - bytes)
    const buffer = Buffer.alloc(size - from)
    const read = readSync(descriptor, buffer, 0, buffer.length, from)
    const lines = buffer.subarray(0, read).toString('utf8').split('\n')
    // The first may have lost its beginning, the last is not whole yet.
    return lines.slice(from === 0 ? 0 : 1, -1)
  } finally {
    closeSync(descriptor)
  }
}
