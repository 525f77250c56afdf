import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/**
 * Reads a stream to its end, hands every chunk on, and writes it as it is to `file`. A file that cannot be written (a full disk) costs
 * a warning, not the run. Resolves as well when the stream is destroyed.
 */
export const tee = async (
  stream: Readable,
  file: string | undefined,
  onChunk: (chunk: Buffer) => void,
  onWarning: (message: string) => void,
): Promise<void> => {
  const warn = (error: unknown): undefined => {
    onWarning(`The agent's output is not kept: ${error instanceof Error ? error.message : String(error)}`)
  }
  let copy = file === undefined ? undefined : await open(file, 'w').catch(warn)
  try {
    for await (const chunk of chunks(stream)) {
      const written = await copy?.writeFile(chunk).catch((error: unknown) => error)
      if (written !== undefined) {
        warn(written)
        await copy?.close()
        copy = undefined
      }
      onChunk(chunk)
    }
  } finally {
    await copy?.close()
  }
}

/** A stream that is destroyed because something still holds its other end has ended, too. */
async function* chunks(stream: Readable): AsyncGenerator<Buffer> {
  const iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  for (;;) {
    const next = await iterator.next().catch(() => ({ done: true }) as const)
    if (next.done) return
    yield next.value
  }
}
