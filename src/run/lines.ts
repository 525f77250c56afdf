/**
 * Splits a byte stream into lines, on 0x0A only and without a limit to their length. A line is decoded when it is whole, so
 * no character is torn. `end` gives what stands after the last 0x0A.
 */
export const lineSplitter = (onLine: (line: string) => void) => {
  let parts: Buffer[] = []
  const flush = (last: Buffer): void => {
    const line = Buffer.concat([...parts, last]).toString('utf8')
    parts = []
    onLine(line)
  }
  return {
    push: (chunk: Buffer): void => {
      let from = 0
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
        flush(chunk.subarray(from, at))
        from = at + 1
      }
      if (from < chunk.length) parts.push(chunk.subarray(from))
    },
    end: (): void => {
      if (parts.length > 0) flush(Buffer.alloc(0))
    },
  }
}

/** Keeps the last `limit` bytes of a stream, as text that begins with a whole character. */
export const tailKeeper = (limit: number) => {
  let kept = Buffer.alloc(0)
  return {
    push: (chunk: Buffer): void => {
      kept = Buffer.concat([kept, chunk]).subarray(-limit)
    },
    text: (): string => kept.subarray(firstWhole(kept)).toString('utf8'),
  }
}

/** Where the first character begins: UTF-8 continuation bytes are 10xxxxxx, three at most. */
const firstWhole = (bytes: Buffer): number => {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80)
  return start === -1 ? 0 : start
}
