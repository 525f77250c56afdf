import type { IncomingMessage } from 'node:http'

/** As the Messages API has it. */
const largestBody = 32 * 1024 * 1024

/** The body as a text, or undefined when it is too large; then the rest is read and thrown away. */
export const readBody = async (incoming: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.length
    if (size <= largestBody) chunks.push(chunk)
    else chunks.length = 0
  }
  return size <= largestBody ? Buffer.concat(chunks).toString('utf8') : undefined
}
