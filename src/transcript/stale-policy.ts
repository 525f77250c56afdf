import { lookAtFile, type StaleReason } from './read-file.ts'

/** What a kept read is worth now; `T` is how its agent would show the file of now. `mtimeMs` is that of the file. */
export type Worth<T> =
  | { readonly state: 'fresh'; readonly mtimeMs: number }
  | { readonly state: 'refreshed'; readonly mtimeMs: number; readonly now: T }
  | { readonly state: 'dropped'; readonly reason: StaleReason }

/** How an agent shows a file in the form of an old read. */
export type Showing<T> = {
  /** Whether it shows a file with zero bytes. */
  readonly readsBinary: (bytes: Buffer) => boolean
  readonly show: (bytes: Buffer) => {
    /** As it was shown in the old read. */
    readonly isSame: boolean
    /** How many lines the range still has. */
    readonly lines: number
    /** More than the agent would show. */
    readonly isTooLarge: boolean
    readonly now: T
  }
}

/**
 * Compares a read with the file on disk; the same for the sessions of all agents. `showing` is undefined when the old read is in no form
 * that yoke can render: then only a file that is older than the read, in milliseconds since the epoch, is the same.
 */
export const judgeFile = <T>(
  path: string,
  readAt: number,
  policy: 'refresh' | 'drop',
  showing: Showing<T> | undefined,
): Worth<T> => {
  const dropped = (reason: StaleReason): Worth<T> => ({ state: 'dropped', reason })
  const file = lookAtFile(path)
  if (typeof file === 'string') return dropped(file)
  const { bytes, mtimeMs } = file
  if (showing === undefined)
    return mtimeMs <= readAt ? { state: 'fresh', mtimeMs } : dropped('changed, and its form is unknown')
  if (bytes.subarray(0, 8192).includes(0) && !showing.readsBinary(bytes)) return dropped('binary')
  if (bytes.length === 0) return dropped('empty')
  const { isSame, lines, isTooLarge, now } = showing.show(bytes)
  if (isSame) return { state: 'fresh', mtimeMs }
  if (policy === 'drop') return dropped('changed')
  if (lines === 0) return dropped('shorter than the offset')
  return isTooLarge ? dropped('too large') : { state: 'refreshed', mtimeMs, now }
}
