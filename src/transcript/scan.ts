import type { FileHandle } from 'node:fs/promises'
import { type Damage, salvage } from './damage.ts'
import { bookkeeping } from './dispositions.ts'
import { type Entry, entryOf, type Source } from './entry.ts'
import { eachLine, type Line } from './lines.ts'
import { isChainRecord, parseRecord, type SessionRecord } from './record.ts'

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
  /** The conversation, in the order of the file. */
  readonly entries: readonly Entry[]
  readonly notes: readonly Note[]
  readonly damage: readonly Damage[]
  /** Records by type. */
  readonly counts: ReadonlyMap<string, number>
  /** Types that yoke does not know, with their number. */
  readonly unknown: ReadonlyMap<string, number>
  readonly bytes: number
  /** The release that wrote the last record of the conversation. */
  readonly version?: string
}

/** Reads a session file once, from the beginning to the end. `cwd` resolves paths in records that do not name their own. */
export const scan = async (handle: FileHandle, cwd: string): Promise<Scan> => {
  const collector = collect(cwd)
  await eachLine(handle, collector.take)
  return collector.finish()
}

/** Takes lines one after the other, and tells at the end what they hold. */
export const collect = (cwd: string) => {
  const entries: Entry[] = []
  const notes: Note[] = []
  const damage: Damage[] = []
  const counts = new Map<string, number>()
  const unknown = new Map<string, number>()
  let version: string | undefined
  let bytes = 0

  const add = (record: SessionRecord, source: Source) => {
    const isChain = isChainRecord(record)
    if (isChain) {
      const entry = entryOf(record, source, cwd)
      entries.push(entry)
      count(counts, entry.label)
      if (entry.kind === 'unknown') count(unknown, entry.label)
      version = record.version ?? version
      return
    }
    count(counts, record.type)
    const disposition = bookkeeping[record.type]
    if (disposition === undefined) count(unknown, record.type)
    if (disposition === 'drop') return
    notes.push({ source, type: record.type, disposition: disposition ?? 'keep', names: namesOf(record) })
  }

  const take = ({ bytes: line, offset, number, ended }: Line) => {
    bytes = offset + line.length + (ended ? 1 : 0)
    if (!ended) damage.push({ line: number, kind: 'no-final-newline', mended: true })
    if (isBlank(line)) return
    const record = parseRecord(line)
    if (record !== undefined) {
      add(record, { offset, length: line.length, line: number })
      return
    }
    const { records, kinds } = salvage(line)
    for (const each of records)
      add(each.record, { offset: offset + each.start, length: each.end - each.start, line: number })
    for (const kind of kinds.length > 0 ? kinds : (['not-json'] as const))
      damage.push({ line: number, kind, mended: kind !== 'torn' && kind !== 'not-json' })
  }

  const finish = (): Scan => ({
    entries,
    notes,
    damage,
    counts,
    unknown,
    bytes,
    ...(version === undefined ? {} : { version }),
  })

  return { take, finish }
}

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

const isBlank = (line: Buffer) => line.length < 3 && line.toString('latin1').trim() === ''

const namesOf = (record: SessionRecord): readonly string[] =>
  [record.leafUuid, record.messageId].filter((name) => name !== undefined)
