import { fstatSync } from 'node:fs'
import { type Damage, type DamageKind, damageList, salvage } from './damage.ts'
import { bookkeeping } from './dispositions.ts'
import { type Entry, entryOf, type ReadRequest, type Source } from './entry.ts'
import { hashText, type KeyHash } from './key-hash.ts'
import { eachLine, eachLineOf } from './lines.ts'
import { chainLinks, type Link, type LiveChain } from './links.ts'
import { lineProbe, type Probe } from './probe.ts'
import { isChainRecord, parseLine, parseRecord, recordOf, type SessionRecord } from './record.ts'
import { entryShelf } from './shelf.ts'

/** A record that is no part of the conversation, and may stay. */
export type Note = {
  readonly source: Source
  readonly type: string
  readonly disposition: 'last' | 'reference' | 'keep'
  /** The records that it names. */
  readonly names: readonly string[]
}

/** What is in a session file. */
export type Scan = {
  /** The records of the conversation that may stay, in the order of the file. */
  readonly entries: readonly Entry[]
  readonly chain: LiveChain
  /** An answer to take the envelope of a closing text from. */
  readonly anyAnswer?: Source
  readonly notes: readonly Note[]
  readonly damage: readonly Damage[]
  /** Records by type. */
  readonly counts: ReadonlyMap<string, number>
  /** Types that yoke does not know, with their number. */
  readonly unknown: ReadonlyMap<string, number>
  readonly bytes: number
  /** Why the file is no session of Claude Code: cut down as one, it would be lost. */
  readonly noSession?: string
}

/** Sees every line of a session while it is scanned. */
export type Observer = {
  /** The JSON of a line that was parsed; undefined when it holds none. */
  readonly parsed: (json: unknown, line: number) => void
  /** A line of a type that is known, which has the shape that the scan needs and was not parsed. */
  readonly looked: (label: string, bytes: Buffer, start: number, end: number, line: number) => void
}

export type ScanOptions = {
  /** Resolves paths in records that do not name their own folder. */
  readonly cwd: string
  /** Whether the content of this file may stay. */
  readonly wants: (request: ReadRequest) => boolean
  readonly observer?: Observer | undefined
  /** Ends the reading of a file, by an error. */
  readonly signal?: AbortSignal | undefined
}

/** Reads a session file once, from the beginning to the end. */
export const scan = async (descriptor: number, options: ScanOptions): Promise<Scan> => {
  const collector = collect(options, fstatSync(descriptor).size)
  await eachLine(descriptor, collector.take, options.signal)
  return collector.finish()
}

/** The same of bytes that are all there. */
export const scanBytes = (bytes: Buffer, options: ScanOptions): Scan => {
  const collector = collect(options, bytes.length)
  eachLineOf(bytes, collector.take)
  return collector.finish()
}

/** A file that begins with so many lines that hold no record is read no further. */
const hopeless = 1000

/** A record with a uuid is longer than this. */
const shortestRecord = 64

/**
 * Takes lines one after the other, and tells at the end what they hold. Lines that cannot stay are only counted and linked,
 * most of them without being parsed, so that memory does not grow with them.
 */
const collect = ({ cwd, wants, observer }: ScanOptions, size: number) => {
  const shelf = entryShelf()
  const links = chainLinks(size / shortestRecord)
  const notes = new Map<string, Note>()
  const damage = damageList()
  const counts = new Map<string, { n: number }>()
  const unknown = new Map<string, { n: number }>()
  const wantedUses = new Set<number>()
  const probe = lineProbe({
    wantedUses,
    isAnswered: links.isAnsweredNow,
    wantsPath: (path) => wants({ path }),
  })
  const message: KeyHash & { first: number } = { low: 0, high: 0, first: -1 }
  let anyAnswer: Source | undefined
  let number = 0
  let bytes = 0
  /** Lines that hold a record, and those of which nothing can be read. */
  let readable = 0
  let unreadable = 0

  /** The lines of a message follow each other, with results between them. */
  const firstOfMessage = (hash: KeyHash, at: number): number => {
    if (hash.low !== message.low || hash.high !== message.high) message.first = at
    message.low = hash.low
    message.high = hash.high
    return message.first
  }

  const addNote = (record: SessionRecord, source: Source) => {
    const { type } = record
    count(counts, type)
    const disposition = bookkeeping[type]
    if (disposition === undefined) count(unknown, type)
    if (disposition === 'drop') return
    const key = disposition === 'last' ? type : String(source.offset)
    notes.delete(key)
    notes.set(key, { source, type, disposition: disposition ?? 'keep', names: namesOf(record) })
  }

  const addRecord = (record: SessionRecord, source: Source) => {
    const isAnswered = links.isAnsweredNow()
    const entry = entryOf(record, source, -1, cwd)
    count(counts, entry.label)
    if (entry.kind === 'unknown') count(unknown, entry.label)
    if (record.isSidechain) return
    if (record.uuid === undefined) damage.add(source.line, 'missing-uuid')
    if (record.timestamp === undefined) damage.add(source.line, 'missing-timestamp')
    const at = links.add(linkOf(record, entry), source.line)
    if (entry.kind === 'answer')
      addAnswer({ ...entry, at, message: firstOfMessage(messageHash(record, at), at) })
    else if (entry.kind === 'results') {
      shelf.addResults({ ...entry, at })
      for (const { id } of entry.results) wantedUses.delete(hashText(id).low)
    } else if (entry.kind !== 'aside' || !isAnswered) shelf.add({ ...entry, at })
  }

  const addAnswer = (answer: Entry & { kind: 'answer' }) => {
    for (const block of answer.blocks)
      if (block.kind === 'tool-use' && block.read !== undefined && wants(block.read)) {
        wantedUses.add(hashText(block.id).low)
        shelf.addUse(answer, block.id, block.read)
      }
    if (answer.synthetic) return
    anyAnswer ??= answer.source
    if (answer.blocks.some((block) => block.kind === 'text' && block.usable)) shelf.addText(answer)
  }

  const addLink = (found: Probe, buffer: Buffer, start: number, end: number, offset: number) => {
    const at = links.add(found.link, number)
    if (!found.link.isAnswer) return
    firstOfMessage(found.message, at)
    if (anyAnswer !== undefined && !found.isText) return
    const line = buffer.subarray(start, end)
    const source = { offset, length: end - start, line: number }
    // Only parsing tells for sure that a line is whole.
    if (anyAnswer === undefined && parseRecord(line) !== undefined) anyAnswer = source
    if (found.isText) shelf.addTextLine(line, source, at)
  }

  const noSession = (): string | undefined => {
    if (unreadable > readable)
      return number === 1
        ? 'its only line is no record'
        : `${unreadable} of its first ${number} lines are no records`
    const types = [...counts.keys()]
    return types.length > 0 && types.every((type) => unknown.has(type))
      ? `Claude Code writes no records of the types in it (${types.slice(0, 3).join(', ')})`
      : undefined
  }

  const addParsed = (record: SessionRecord, source: Source) => {
    if (isChainRecord(record)) addRecord(record, source)
    else addNote(record, source)
  }

  const takeParsed = (line: Buffer, source: Source) => {
    if (isBlank(line)) return
    const json = parseLine(line)
    const record = recordOf(json)
    observer?.parsed(json, source.line)
    if (record !== undefined) {
      readable += 1
      addParsed(record, source)
      return
    }
    const { records, kinds } = salvage(line)
    for (const { record, start, end } of records)
      addParsed(record, { offset: source.offset + start, length: end - start, line: source.line })
    if (records.length > 0) readable += 1
    else if (kinds.length === 0 || kinds.some(isLoss)) unreadable += 1
    for (const kind of kinds.length > 0 ? kinds : (['not-json'] as const))
      damage.add(source.line, kind, isLoss(kind) ? 'dropped' : 'mended')
  }

  const take = (buffer: Buffer, start: number, end: number, offset: number, ended: boolean) => {
    if (readable === 0 && unreadable >= hopeless) return
    number += 1
    const length = end - start
    bytes = offset + length + (ended ? 1 : 0)
    if (!ended) damage.add(number, 'no-final-newline')
    const found = probe(buffer, start, end)
    if (found.verdict !== 'parse') observer?.looked(found.label, buffer, start, end, number)
    if (found.verdict === 'parse') takeParsed(buffer.subarray(start, end), { offset, length, line: number })
    else {
      readable += 1
      count(counts, found.label)
      if (found.verdict === 'link') addLink(found, buffer, start, end, offset)
    }
  }

  const finish = (): Scan => {
    const chain = links.walk()
    const reason = noSession()
    return {
      entries: shelf.entries(cwd),
      chain,
      ...(anyAnswer === undefined ? {} : { anyAnswer }),
      notes: [...notes.values()],
      damage: [...damage.found, ...chain.damage].sort((a, b) => a.line - b.line),
      counts: numbersOf(counts),
      unknown: numbersOf(unknown),
      bytes,
      ...(reason === undefined ? {} : { noSession: reason }),
    }
  }

  return { take, finish }
}

const isLoss = (kind: DamageKind) => kind === 'torn' || kind === 'not-json'

const count = (counts: Map<string, { n: number }>, key: string) => {
  const counter = counts.get(key)
  if (counter === undefined) counts.set(key, { n: 1 })
  else counter.n += 1
}

const numbersOf = (counts: ReadonlyMap<string, { n: number }>): ReadonlyMap<string, number> =>
  new Map([...counts].map(([key, { n }]) => [key, n]))

/** White space as JSON has it. */
const isBlank = (line: Buffer) => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

const namesOf = (record: SessionRecord): readonly string[] =>
  [record.leafUuid, record.messageId].filter((name) => name !== undefined)

const messageHash = ({ message }: SessionRecord, at: number): KeyHash =>
  message?.id === undefined ? { low: at, high: -1 } : hashText(message.id)

const linkOf = (record: SessionRecord, entry: Entry): Link => {
  const own = record.uuid === undefined ? undefined : hashText(record.uuid)
  const parent = typeof record.parentUuid === 'string' ? hashText(record.parentUuid) : undefined
  return {
    hasUuid: own !== undefined,
    low: own?.low ?? 0,
    high: own?.high ?? 0,
    parent: parent !== undefined ? 'uuid' : record.parentUuid === null ? 'root' : 'none',
    parentLow: parent?.low ?? 0,
    parentHigh: parent?.high ?? 0,
    tokens: entry.tokens,
    isAnswer: entry.kind === 'answer' && !entry.synthetic,
    isBoundary: entry.kind === 'boundary',
    isProgress: record.type === 'progress',
    isResults: entry.kind === 'results',
  }
}
