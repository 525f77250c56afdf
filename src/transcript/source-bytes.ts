import { readSync } from 'node:fs'

/** Reads a stretch of an open file; fewer bytes when the file ends before. */
export const readStretch = (
  descriptor: number,
  { offset, length }: { readonly offset: number; readonly length: number },
): Buffer => {
  const bytes = Buffer.allocUnsafe(length)
  let held = 0
  while (held < length) {
    const bytesRead = readSync(descriptor, bytes, held, length - held, offset + held)
    if (bytesRead === 0) break
    held += bytesRead
  }
  return bytes.subarray(0, held)
}
