import { type Entry, entryOf, type ReadRequest, rangeKey, type Source } from './entry.ts'
import { parseRecord } from './record.ts'

type Answer = Entry & { readonly kind: 'answer' }
type Results = Entry & { readonly kind: 'results' }

/** How many of the newest Reads of one file, offset and limit are held: the newest may stand on a branch that was given up. */
const readsHeld = 8
/** How many of the newest texts of the model are held. */
const textsHeld = 256

/** Holds the records that may stay: of what repeats, only the newest ones. */
export const entryShelf = () => {
  const held = new Map<number, Entry>()
  const pairs = new Map<string, { readonly use: number; readonly results: number }[]>()
  const open = new Map<string, { readonly use: number; readonly key: string }>()
  const texts: { readonly line: Buffer | undefined; readonly source: Source; readonly at: number }[] = []

  const addUse = (answer: Answer, id: string, { path, ...range }: ReadRequest) => {
    held.set(answer.at, answer)
    open.set(id, { use: answer.at, key: JSON.stringify([path, rangeKey(range)]) })
  }

  const addResults = (results: Results) => {
    for (const { id, content } of results.results) {
      const use = open.get(id)
      open.delete(id)
      if (use === undefined) continue
      if (content !== 'text' && content !== 'media') {
        letGo(use.use)
        continue
      }
      held.set(results.at, results)
      const known = pairs.get(use.key) ?? []
      pairs.set(use.key, known)
      known.push({ use: use.use, results: results.at })
      const oldest = known.length > readsHeld ? known.shift() : undefined
      if (oldest === undefined) continue
      letGo(oldest.use)
      letGo(oldest.results)
    }
  }

  /** A record that holds several blocks may be wanted for another one. */
  const letGo = (at: number) => {
    const entry = held.get(at)
    const size =
      entry?.kind === 'answer' ? entry.blocks.length : entry?.kind === 'results' ? entry.results.length : 0
    if (size === 1) held.delete(at)
  }

  const pushText = (text: (typeof texts)[number]) => {
    texts.push(text)
    if (texts.length > 2 * textsHeld) texts.splice(0, textsHeld)
  }

  return {
    add: (entry: Entry) => void held.set(entry.at, entry),
    addUse,
    addResults,
    /** A text that has been parsed, because its message holds something else as well. */
    addText: (answer: Answer) => {
      if (held.has(answer.at)) return
      pushText({ line: undefined, source: answer.source, at: answer.at })
      held.set(answer.at, answer)
    },
    addTextLine: (line: Buffer, source: Source, at: number) =>
      pushText({ line: Buffer.from(line), source, at }),
    entries: (cwd: string): readonly Entry[] => {
      for (const { line, source, at } of texts) {
        const record = line === undefined ? undefined : parseRecord(line)
        if (record !== undefined) held.set(at, entryOf(record, source, at, cwd))
      }
      return [...held.values()].sort((a, b) => a.at - b.at)
    },
  }
}
