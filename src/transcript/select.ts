import { spentAttachments } from './dispositions.ts'
import { type Entry, isRealAnswer, type Source } from './entry.ts'
import type { LiveChain } from './links.ts'
import type { Read } from './reads.ts'
import type { Note, Scan } from './scan.ts'
import type { Rendered } from './stale.ts'

/** A Read that stays, with the text of now where the old one is stale. */
export type KeptRead = Read & {
  /**
   * The time of its file, which the result must not be older than: 2.1.100 and 2.1.200 would ask for a new read. 0 when that lies
   * in the future: up to 2.1.100 the CLI resumes from the record with the highest time.
   */
  readonly notBefore: number
  readonly now?: Rendered
}

/** One line of the trimmed file. */
export type Planned =
  | { readonly do: 'note'; readonly source: Source }
  | {
      readonly do: 'record'
      readonly source: Source
      readonly entry: Entry
      /** Which blocks of the message stay, by index; undefined: all. */
      readonly blocks?: ReadonlySet<number>
      /** Reads whose content this record holds. */
      readonly reads: readonly KeptRead[]
      /** The text that ends the conversation stands apart from the message that it was part of. */
      readonly apart: boolean
    }
  /** An end for a conversation in which the model has said nothing; `source` is an answer to take the envelope from. */
  | { readonly do: 'closing'; readonly source: Source }

export type PlanFault = 'no-answer' | 'no-prompt'

/**
 * What stays of a session, in order: everything up to the first answer (it makes the cached prefix, first prompt and attachments
 * included), later attachments that still say something, unknown records, the newest summary of a compaction, the kept reads,
 * and at the end the last text of the model.
 */
export const select = (
  { entries, chain, notes, anyAnswer }: Pick<Scan, 'entries' | 'chain' | 'notes' | 'anyAnswer'>,
  reads: readonly KeptRead[],
): readonly Planned[] | PlanFault => {
  const { isLive, firstAnswer } = chain
  if (firstAnswer === -1 || anyAnswer === undefined) return 'no-answer'
  const firstPrompt = entries.find((entry) => isLive(entry.at) && isPrompt(entry))
  if (firstPrompt === undefined) return 'no-prompt'

  const lastSummary = entries.findLast((entry) => isLive(entry.at) && entry.kind === 'summary')
  const ids = idsOf(reads)
  const readable = new Set(entries.flatMap(({ kind, uuid }) => (kind === 'unknown' ? [] : [uuid])))
  let lastKept = -1
  const bodies = new Set<string>()
  const uuids = new Set<string>()
  const planned: Planned[] = []

  for (const entry of entries) {
    const held = reads.filter(({ at }) => at === entry.at)
    const plain: Planned = { do: 'record', source: entry.source, entry, reads: held, apart: false }
    if (entry.kind === 'answer') {
      const own = idsOf(reads.filter((read) => read.kind === 'pair' && read.use === entry.at))
      if (own.size === 0) continue
      planned.push({
        ...plain,
        blocks: indices(entry.blocks, (block) => block.kind === 'tool-use' && own.has(block.id)),
      })
      lastKept = entry.at
      continue
    }
    if (entry.kind === 'results') {
      if (held.length === 0) continue
      const own = idsOf(held)
      planned.push({
        ...plain,
        blocks: new Set(entry.results.filter(({ id }) => own.has(id)).map(({ block }) => block)),
      })
      lastKept = entry.at
      continue
    }
    if (entry.uuid !== undefined && uuids.has(entry.uuid)) continue
    // A record that was written again because the first copy is damaged: that one must not take its place.
    if (entry.kind === 'unknown' && entry.uuid !== undefined && readable.has(entry.uuid)) continue
    const isTied = entry.kind === 'attachment' && entry.toolUse !== undefined
    if (!isLive(entry.at) && !isTied && entry.kind !== 'unknown') continue
    const isHead = entry.at < firstAnswer || entry === firstPrompt
    const stays =
      entry.kind === 'attachment'
        ? attachmentStays(entry, isHead, held.length > 0, ids, bodies)
        : entry.kind === 'unknown' ||
          entry === lastSummary ||
          (isHead && entry.kind !== 'boundary' && entry.label !== 'progress')
    if (!stays) continue
    if (entry.uuid !== undefined) uuids.add(entry.uuid)
    if (entry.kind === 'attachment') bodies.add(entry.body)
    planned.push(plain)
    lastKept = entry.at
  }

  const end = closing(entries, chain, anyAnswer, lastKept)
  const kept = new Set([...planned, end].flatMap((item) => (item.do === 'record' ? [item.entry.uuid] : [])))
  return interleave(planned, end, notesThatStay(notes, kept))
}

const isPrompt = (entry: Entry) => entry.kind === 'prompt' || entry.kind === 'summary'

const indices = <T>(items: readonly T[], test: (item: T) => boolean): ReadonlySet<number> =>
  new Set(items.flatMap((item, index) => (test(item) ? [index] : [])))

const idsOf = (reads: readonly KeptRead[]): ReadonlySet<string> =>
  new Set(reads.flatMap((read) => (read.kind === 'pair' ? [read.id] : [])))

const attachmentStays = (
  entry: Entry & { kind: 'attachment' },
  isHead: boolean,
  isKeptRead: boolean,
  ids: ReadonlySet<string>,
  bodies: ReadonlySet<string>,
): boolean => {
  if (isKeptRead) return true
  if (entry.toolUse !== undefined) return ids.has(entry.toolUse)
  if (isHead) return true
  if (entry.file !== undefined || spentAttachments.has(entry.type)) return false
  return !bodies.has(entry.body)
}

/** The last text of the model; it stands apart where something that is kept follows it. */
const closing = (
  entries: readonly Entry[],
  { isLive }: LiveChain,
  anyAnswer: Source,
  lastKept: number,
): Planned => {
  const entry = entries.findLast(
    (each): each is Entry & { kind: 'answer' } =>
      isLive(each.at) && isRealAnswer(each) && textIndex(each) !== -1,
  )
  if (entry === undefined) return { do: 'closing', source: anyAnswer }
  const blocks = new Set([textIndex(entry)])
  return { do: 'record', source: entry.source, entry, blocks, reads: [], apart: lastKept >= entry.at }
}

const textIndex = (entry: Entry & { kind: 'answer' }) =>
  entry.blocks.findLastIndex((block) => block.kind === 'text' && block.usable)

const notesThatStay = (notes: readonly Note[], kept: ReadonlySet<string | undefined>): readonly Note[] =>
  notes.filter((note) => note.disposition !== 'reference' || note.names.some((name) => kept.has(name)))

/** Notes keep their place among the records; those behind the last record of the source come last. */
const interleave = (
  records: readonly Planned[],
  end: Planned,
  notes: readonly Note[],
): readonly Planned[] => {
  const lines: Planned[] = [...records]
  const asLine = ({ source }: Note): Planned => ({ do: 'note', source })
  const lastRecord = Math.max(end.source.offset, ...records.map(({ source }) => source.offset))
  for (const note of notes) if (note.source.offset < lastRecord) lines.push(asLine(note))
  lines.sort((a, b) => a.source.offset - b.source.offset)
  return [...lines, end, ...notes.filter(({ source }) => source.offset >= lastRecord).map(asLine)]
}
