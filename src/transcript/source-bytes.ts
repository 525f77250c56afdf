import type { FileHandle } from 'node:fs/promises'

/** Reads a stretch of an open file; fewer bytes when the file ends before. */
export const readStretch = async (
  handle: FileHandle,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(length)
  let held = 0
  while (held < length) {
    const { bytesRead } = await handle.read(bytes, held, length - held, offset + held)
    if (bytesRead === 0) break
    held += bytesRead
  }
  return bytes.subarray(0, held)
}
