import { createHash } from 'node:crypto'
import { applyEdits, type Edit, keepElements, setValue, zeroNumbers } from './json-bytes.ts'
import { blocksOf, parseRecord, type SessionRecord } from './record.ts'
import type { KeptRead, Planned } from './select.ts'
import { attachmentFrame, fileOf } from './stale.ts'

/** A line of the trimmed file with the bytes that it was made from. */
export type Relinked = { readonly planned: Planned; readonly source: Buffer; readonly bytes: Buffer }

/** What the model is made to have said where it was cut off before it said anything. */
const closingText = 'I was interrupted here.'

/**
 * Turns the plan into lines: one linear chain of parents, strictly increasing timestamps (up to 2.1.100 the CLI resumes from
 * the first record with the highest one), no usage (stale figures set off a compaction), blocks that go taken out, stale
 * content replaced. Only the values that change are replaced; every other byte stays.
 */
export const relink = (plan: readonly Planned[], sources: readonly Buffer[]): readonly Relinked[] => {
  const uuids = new Set<string>()
  let parent: string | null = null
  let time = 0
  return plan.map((planned, index) => {
    const source = sources[index] ?? Buffer.alloc(0)
    if (planned.do === 'note') return { planned, source, bytes: source }
    const record = parseRecord(source)
    if (record === undefined) throw new Error(`line ${planned.source.line} can no longer be read`)
    const shaped = planned.do === 'closing' ? closingRecord(source) : shape(planned, source, record)
    const isFresh = planned.do === 'record' && record.uuid !== undefined && !uuids.has(record.uuid)
    const uuid: string = isFresh && record.uuid !== undefined ? record.uuid : mintUuid(source, uuids)
    const written = Date.parse(record.timestamp ?? '')
    const notBefore = planned.do === 'record' ? planned.reads.map((read) => Math.ceil(read.notBefore)) : []
    const at = Math.max(Number.isNaN(written) ? 0 : written, time + 1, ...notBefore)
    const edits = [
      ...(record.parentUuid === parent ? [] : [setValue(shaped, ['parentUuid'], parent)]),
      ...(record.uuid === uuid ? [] : [setValue(shaped, ['uuid'], uuid)]),
      ...(at === written ? [] : [setValue(shaped, ['timestamp'], new Date(at).toISOString())]),
      ...zeroNumbers(shaped, ['message', 'usage']),
      ...(apartOf(planned)
        ? [setValue(shaped, ['message', 'id'], `${record.message?.id ?? uuid}_last`)]
        : []),
    ]
    uuids.add(uuid)
    parent = uuid
    time = at
    return { planned, source, bytes: applyEdits(shaped, edits) }
  })
}

const apartOf = (planned: Planned) => planned.do === 'closing' || (planned.do === 'record' && planned.apart)

/** The same source always gives the same uuid: trimming has no random part. */
const mintUuid = (source: Buffer, taken: ReadonlySet<string>): string => {
  for (let salt = 0; ; salt += 1) {
    const hex = createHash('sha256').update(source).update(String(salt)).digest('hex')
    const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
    if (!taken.has(uuid)) return uuid
  }
}

const closingRecord = (source: Buffer): Buffer =>
  applyEdits(source, [setValue(source, ['message', 'content'], [{ type: 'text', text: closingText }])])

const shape = (planned: Planned & { do: 'record' }, source: Buffer, record: SessionRecord): Buffer => {
  const refreshed = applyEdits(
    source,
    planned.reads.flatMap((read) => refresh(read, source, record)),
  )
  const { blocks } = planned
  if (blocks === undefined || typeof record.message?.content === 'string') return refreshed
  const cut = keepElements(refreshed, ['message', 'content'], (index) => blocks.has(index))
  return cut === undefined ? refreshed : applyEdits(refreshed, [cut])
}

const refresh = (read: KeptRead, source: Buffer, record: SessionRecord): readonly Edit[] => {
  const { now } = read
  if (now === undefined) return []
  const copy = fileOf(read, record)
  const file = read.kind === 'pair' ? ['toolUseResult', 'file'] : ['attachment', 'content', 'file']
  const values = { content: now.content, numLines: now.numLines, totalLines: now.totalLines }
  const copies = Object.entries(values)
    .filter(([key]) => copy !== undefined && key in copy)
    .map(([key, value]) => setValue(source, [...file, key], value))
  return [...copies, ...shown(read, source, record, now.text)]
}

/** The place of the text that the model is shown. */
const shown = (read: KeptRead, source: Buffer, record: SessionRecord, text: string): readonly Edit[] => {
  if (read.kind === 'pair') {
    const index = blocksOf(record).findIndex(({ tool_use_id }) => tool_use_id === read.id)
    return [setValue(source, ['message', 'content', index, 'content'], text)]
  }
  const { rendered } = record
  if (!Array.isArray(rendered)) return []
  return rendered.flatMap((part: { content?: unknown }, index) => {
    const frame = attachmentFrame.exec(String(part.content))
    return frame === null
      ? []
      : [setValue(source, ['rendered', index, 'content'], `${frame[1]}${text}${frame[3]}`)]
  })
}
