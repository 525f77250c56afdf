import { isDeepStrictEqual } from 'node:util'
import type { Content } from './content.ts'
import { entryOf } from './entry.ts'
import { blocksOf, isChainRecord, parseRecord, type SessionRecord } from './record.ts'
import type { Relinked } from './relink.ts'
import type { KeptRead } from './select.ts'
import { shownText } from './stale.ts'

/** What the trimmed file must hold. */
export type Expectation = {
  /** Its lines in order, with what each was made from. */
  readonly lines: readonly Pick<Relinked, 'planned' | 'source'>[]
  /** The content that must be there, as it is on disk. */
  readonly reads: readonly KeptRead[]
}

export const rules = [
  'lines',
  'untouched',
  'unique-uuids',
  'one-chain',
  'time',
  'pairs',
  'thinking',
  'usage',
  'ending',
  'branches',
  'reads',
] as const
export type Rule = (typeof rules)[number]

/** One rule broken. Any fault and nothing is written. */
export type Fault = { readonly rule: Rule; readonly what: string }

/** Reads the very bytes that are to be written, and checks that a CLI finds in them what it should. */
export const verify = (bytes: Buffer, expected: Expectation): readonly Fault[] => {
  const lines = linesOf(bytes)
  const records = lines.map((line) => parseRecord(line))
  if (records.includes(undefined) || bytes.at(-1) !== 0x0a)
    return [
      {
        rule: 'lines',
        what: `line ${records.indexOf(undefined) + 1} is no record, or the last is not ended`,
      },
    ]
  const all = records.filter((record) => record !== undefined)
  const chain = all.filter(isChainRecord)
  return [
    ...uniqueUuids(chain),
    ...untouched(lines, expected.lines),
    ...oneChain(chain, expected.lines.filter(({ planned }) => planned.do !== 'note').length),
    ...time(chain),
    ...pairs(chain),
    ...noThinking(chain),
    ...noUsage(chain),
    ...ending(chain),
    ...branches(all),
    ...readsPresent(chain, expected.reads),
  ]
}

const linesOf = (bytes: Buffer): readonly Buffer[] => {
  const lines: Buffer[] = []
  let start = 0
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return start === bytes.length ? lines : [...lines, bytes.subarray(start)]
}

const fault = (rule: Rule, what: string): Fault => ({ rule, what })

const uniqueUuids = (chain: readonly SessionRecord[]): readonly Fault[] => {
  const seen = new Set<string | undefined>()
  return chain.flatMap(({ uuid }) => {
    const isNew = uuid !== undefined && !seen.has(uuid)
    seen.add(uuid)
    return isNew ? [] : [fault('unique-uuids', `${uuid ?? 'a record without uuid'} is not unique`)]
  })
}

/** Walks from the last record to the root, merging the lines of a message, and reaches every record on the way. */
const oneChain = (chain: readonly SessionRecord[], expected: number): readonly Fault[] => {
  const byUuid = new Map(chain.map((record) => [record.uuid, record]))
  const reached = new Set<SessionRecord>()
  let at = chain.at(-1)
  while (at !== undefined && !reached.has(at)) {
    reached.add(at)
    if (at.parentUuid === null) break
    at = at.parentUuid === undefined ? undefined : byUuid.get(at.parentUuid)
  }
  const first = chain[0]
  const root =
    first !== undefined && first.parentUuid === null
      ? []
      : [fault('one-chain', 'the first record is no root')]
  const lost = chain.length - reached.size
  const missing = expected - chain.length
  return [
    ...root,
    ...(lost === 0 ? [] : [fault('one-chain', `${lost} records cannot be reached`)]),
    ...(missing === 0 ? [] : [fault('one-chain', `${missing} records are missing`)]),
  ]
}

const time = (chain: readonly SessionRecord[]): readonly Fault[] => {
  const times = chain.map(({ timestamp }) => Date.parse(timestamp ?? ''))
  return times.flatMap((at, index) => {
    const before = times[index - 1]
    const grows = !Number.isNaN(at) && (before === undefined || at > before)
    return grows ? [] : [fault('time', `record ${index + 1} is not later than the one before it`)]
  })
}

/** Every use has one result, in the user records that follow its message; every result has its use. */
const pairs = (chain: readonly SessionRecord[]): readonly Fault[] => {
  const faults: Fault[] = []
  const open = new Set<string>()
  const seen = new Set<string>()
  let message: string | undefined
  for (const record of chain) {
    if (record.type === 'assistant' && record.message?.id === undefined)
      faults.push(fault('pairs', `the answer ${record.uuid} has no message id, which joins its lines`))
    if (record.type === 'assistant' && record.message?.id !== message) {
      for (const id of open) faults.push(fault('pairs', `tool use ${id} has no result`))
      open.clear()
      message = record.message?.id
    }
    for (const block of blocksOf(record)) {
      if (block.type === 'tool_use' && block.id !== undefined) {
        if (seen.has(block.id)) faults.push(fault('pairs', `tool use ${block.id} stands twice`))
        seen.add(block.id)
        open.add(block.id)
      } else if (block.type === 'tool_result' && !open.delete(block.tool_use_id ?? ''))
        faults.push(fault('pairs', `tool result ${block.tool_use_id} has no tool use before it`))
    }
  }
  for (const id of open) faults.push(fault('pairs', `tool use ${id} has no result`))
  return faults
}

const noThinking = (chain: readonly SessionRecord[]): readonly Fault[] =>
  chain.flatMap((record) =>
    blocksOf(record)
      .filter(({ type }) => /thinking/.test(type))
      .map(({ type }) => fault('thinking', `a block of ${type} is left`)),
  )

const noUsage = (chain: readonly SessionRecord[]): readonly Fault[] =>
  chain.flatMap((record) =>
    record.type === 'assistant' && /[1-9]/.test(numbersOf(record.message?.['usage']))
      ? [fault('usage', `the usage of ${record.uuid} is not zero`)]
      : [],
  )

const numbersOf = (value: unknown): string => {
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' && value !== null ? Object.values(value).map(numbersOf).join() : ''
}

const ending = (chain: readonly SessionRecord[]): readonly Fault[] => {
  const last = chain.at(-1)
  const content = last?.message?.content
  const isText = typeof content === 'string' || (content?.length === 1 && content[0]?.type === 'text')
  return last?.type === 'assistant' && isText
    ? []
    : [fault('ending', 'the last record is no text of the model')]
}

/** Nothing is left that makes a CLI start from another record than the last, or skip a part. */
const branches = (all: readonly SessionRecord[]): readonly Fault[] =>
  all.flatMap((record) => {
    if (record.type === 'last-prompt') return [fault('branches', 'a last-prompt record is left')]
    if (record.subtype === 'compact_boundary')
      return [fault('branches', 'the boundary of a compaction is left')]
    return record.isSidechain ? [fault('branches', `${record.uuid} belongs to a side chain`)] : []
  })

/** Of every line only what the trim may change is changed; blocks of a message may go, but none is altered. */
const untouched = (lines: readonly Buffer[], expected: Expectation['lines']): readonly Fault[] => {
  if (lines.length !== expected.length)
    return [fault('untouched', `there are ${lines.length} lines, not ${expected.length}`)]
  return expected.flatMap(({ planned, source }, index) => {
    const line = lines[index] ?? Buffer.alloc(0)
    const isSame =
      line.equals(source) ||
      (planned.do !== 'note' &&
        isDeepStrictEqual(stable(planned, line), stable(planned, source)) &&
        blocksAreOld(planned, line, source))
    return isSame ? [] : [fault('untouched', `line ${planned.source.line} was changed where it must not be`)]
  })
}

type Part = { [key: string]: unknown }

/** A record without what a trim may change. */
const stable = (planned: Relinked['planned'], line: Buffer): unknown => {
  const { parentUuid, uuid, timestamp, ...record } = JSON.parse(line.toString('utf8')) as Part
  const isRefreshed = planned.do === 'record' && planned.reads.some(({ now }) => now !== undefined)
  if (isRefreshed) for (const key of ['toolUseResult', 'rendered', 'attachment']) delete record[key]
  if (typeof record['message'] !== 'object' || record['message'] === null) return record
  const { usage, content, ...message } = record['message'] as Part
  const isApart = planned.do === 'closing' || (planned.do === 'record' && planned.apart)
  if (isApart) delete message['id']
  return { ...record, message, ...(typeof content === 'string' ? { content } : {}) }
}

const blocksAreOld = (planned: Relinked['planned'], line: Buffer, source: Buffer): boolean => {
  if (planned.do !== 'record') return true
  const old = rawBlocks(source)
  const refreshed = new Set(
    planned.reads.flatMap((read) => (read.now && read.kind === 'pair' ? [read.id] : [])),
  )
  return rawBlocks(line).every(
    (block) =>
      refreshed.has(String(block['tool_use_id'])) || old.some((each) => isDeepStrictEqual(each, block)),
  )
}

const rawBlocks = (line: Buffer): readonly Part[] => {
  const { message } = JSON.parse(line.toString('utf8')) as { message?: { content?: unknown } }
  return Array.isArray(message?.content) ? message.content : []
}

/** Each kept file is there with content, and where it was stale with the text of now. */
const readsPresent = (chain: readonly SessionRecord[], expected: readonly KeptRead[]): readonly Fault[] => {
  const found = new Map<string, { readonly content: Content; readonly record: SessionRecord }>()
  for (const record of chain) {
    const entry = entryOf(record, { offset: 0, length: 0, line: 0 }, 0, '/')
    if (entry.kind === 'results')
      for (const { id, content } of entry.results) found.set(id, { content, record })
    if (entry.kind === 'attachment' && entry.file !== undefined)
      found.set(entry.file, { content: entry.content, record })
  }
  return expected.flatMap((read) => {
    const here = found.get(read.kind === 'pair' ? read.id : read.path)
    if (here?.content !== 'text' && here?.content !== 'media')
      return [fault('reads', `${read.path} is missing (${here?.content ?? 'absent'})`)]
    return read.now === undefined || shownText(read, here.record)?.includes(read.now.text)
      ? []
      : [fault('reads', `${read.path} is not shown as it is now`)]
  })
}
