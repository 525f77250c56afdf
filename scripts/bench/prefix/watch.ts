import { createHash } from 'node:crypto'
import { canonicalBlocks } from '../../../src/probe/canonical.ts'
import type { Books } from '../cost/books.ts'

/** The first request of an iteration. */
export type Start = {
  readonly bytes: number
  /** Of tools and system. */
  readonly head: number
  /** Of the longest beginning that an earlier request began with too. */
  readonly sentBefore: number
  /** The share of the tokens that the provider reads from its cache. */
  readonly cached: number
}

/** Books that also watch how much of the first request of an iteration was sent before. */
export const watchPrefix = (books: Books) => {
  const sent = new Set<string>()
  const starts: Start[] = []
  const book: Books['book'] = (request, output, isSide) => {
    const hash = createHash('sha256')
    let [bytes, head, sentBefore] = [0, 0, 0]
    const prefixes: string[] = []
    for (const { json, message } of canonicalBlocks(request)) {
      hash.update('\n').update(json)
      bytes += Buffer.byteLength(json)
      if (message === undefined) head = bytes
      const prefix = hash.copy().digest('base64')
      if (sent.has(prefix)) sentBefore = bytes
      prefixes.push(prefix)
    }
    for (const prefix of prefixes) sent.add(prefix)
    const isFirst = books.accounts.at(-1)?.contextAtStart === 0
    const usage = books.book(request, output, isSide)
    if (isFirst && !isSide)
      starts.push({ bytes, head, sentBefore, cached: books.accounts.at(-1)?.cachedAtStart ?? 0 })
    return usage
  }
  return { starts: starts as readonly Start[], books: { ...books, book } }
}
