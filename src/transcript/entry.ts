import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { type Content, contentOf } from './content.ts'
import { asides, readTools } from './dispositions.ts'
import { estimateTokens } from './estimate.ts'
import { blocksOf, type ContentBlock, isKnownChainType, type SessionRecord } from './record.ts'

/** Where the bytes of a record stand in the source; a spliced line holds several. */
export type Source = { readonly offset: number; readonly length: number; readonly line: number }

/** A Read, as the model asked for it. */
export type ReadRequest = {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
  /** Of a PDF: `1-5`. */
  readonly pages?: string
}

export type AnswerBlock =
  | { readonly kind: 'text'; readonly usable: boolean }
  | { readonly kind: 'tool-use'; readonly id: string; readonly read?: ReadRequest }
  | { readonly kind: 'other'; readonly type: string }

export type ResultBlock = {
  readonly id: string
  readonly content: Content /** Its index in the message. */
  readonly block: number
}

type Common = {
  readonly source: Source
  /** Its position in the conversation, records that are not held counted. */
  readonly at: number
  /** The type, for people: `user`, `attachment:date`, `system:compact_boundary`. */
  readonly label: string
  readonly uuid?: string
  /** What the record adds to a request. */
  readonly tokens: number
}

/** A record of the conversation, with what the trim decides on. */
export type Entry = Common &
  (
    | { readonly kind: 'prompt' | 'summary' | 'boundary' | 'aside' | 'unknown' }
    | {
        readonly kind: 'answer'
        /** The position of the first line of the message. */
        readonly message: number
        readonly synthetic: boolean
        readonly blocks: readonly AnswerBlock[]
      }
    | { readonly kind: 'results'; readonly results: readonly ResultBlock[] }
    | {
        readonly kind: 'attachment'
        readonly type: string
        readonly toolUse?: string
        /** Absolute path, of an attached file. */
        readonly file?: string
        readonly content: Content
        /** Digest of the attachment itself, to tell a repetition. */
        readonly body: string
      }
  )

/** An answer that is no error message of the CLI. */
export const isRealAnswer = (entry: Entry): entry is Entry & { kind: 'answer' } =>
  entry.kind === 'answer' && !entry.synthetic

/** A record of the conversation as the light entry that is held in memory. */
export const entryOf = (record: SessionRecord, source: Source, at: number, cwd: string): Entry => {
  const common: Common = {
    source,
    at,
    label: labelOf(record),
    ...(record.uuid === undefined ? {} : { uuid: record.uuid }),
    tokens: estimateTokens(record),
  }
  if (record.type === 'attachment' && record.attachment !== undefined) {
    const { type, toolUseID, filename } = record.attachment
    return {
      ...common,
      kind: 'attachment',
      type,
      ...(toolUseID === undefined ? {} : { toolUse: toolUseID }),
      ...(type === 'file' && filename !== undefined ? { file: resolve(record.cwd ?? cwd, filename) } : {}),
      content: attachedContent(record.attachment['content']),
      body: type === 'file' ? '' : createHash('sha1').update(JSON.stringify(record.attachment)).digest('hex'),
    }
  }
  if (record.type === 'assistant' && record.message !== undefined)
    return {
      ...common,
      kind: 'answer',
      message: at,
      synthetic: record.isApiErrorMessage || record.message.model === '<synthetic>',
      blocks: answerBlocks(record, cwd),
    }
  if (record.type === 'user' && record.message !== undefined) {
    const results = blocksOf(record).flatMap((block, index) => resultBlock(block, index, record))
    if (results.length > 0) return { ...common, kind: 'results', results }
    if (record.isCompactSummary) return { ...common, kind: 'summary' }
    return { ...common, kind: record.isMeta ? 'aside' : 'prompt' }
  }
  if (record.type === 'system' && record.subtype === 'compact_boundary')
    return { ...common, kind: 'boundary' }
  if (record.type === 'progress' || (record.type === 'system' && asides.has(record.subtype ?? '')))
    return { ...common, kind: 'aside' }
  return { ...common, kind: 'unknown' }
}

const attachedContent = (content: unknown): Content => {
  if (typeof content !== 'object' || content === null || !('type' in content)) return 'unknown'
  if (content.type === 'text' || content.type === 'notebook') return 'text'
  return content.type === 'image' || content.type === 'pdf' ? 'media' : 'unknown'
}

const labelOf = (record: SessionRecord): string => {
  if (record.type === 'attachment') return `attachment:${record.attachment?.type ?? '?'}`
  return record.type === 'system' || !isKnownChainType(record.type)
    ? `${record.type}${record.subtype === undefined ? '' : `:${record.subtype}`}`
    : record.type
}

const answerBlocks = (record: SessionRecord, cwd: string): readonly AnswerBlock[] => {
  // Releases before 1.0.10 may store an answer as a plain string.
  if (typeof record.message?.content === 'string')
    return [{ kind: 'text', usable: record.message.content.trim() !== '' }]
  return blocksOf(record).map((block) => {
    if (block.type === 'text')
      // Citations refer to the results of server tools, which go.
      return { kind: 'text', usable: (block.text ?? '').trim() !== '' && !block.citations?.length }
    if (block.type !== 'tool_use' || block.id === undefined) return { kind: 'other', type: block.type }
    const read = readRequest(block, record.cwd ?? cwd)
    return { kind: 'tool-use', id: block.id, ...(read === undefined ? {} : { read }) }
  })
}

const readRequest = (block: ContentBlock, cwd: string): ReadRequest | undefined => {
  const key = readTools[block.name ?? '']
  const input = (block.input ?? {}) as Readonly<Record<string, unknown>>
  const path = key === undefined ? undefined : input[key]
  if (typeof path !== 'string') return undefined
  const [offset, limit] = [numberOf(input['offset']), numberOf(input['limit'])]
  const { pages } = input
  return {
    path: resolve(cwd, path),
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
    ...(typeof pages === 'string' ? { pages } : {}),
  }
}

/** Models also write numbers as strings, and the tool takes them. */
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return Number.isInteger(number) ? (number as number) : undefined
}

/** What tells the reads of one file apart. */
export const rangeKey = ({ offset = 1, limit, pages }: Omit<ReadRequest, 'path'>): string =>
  JSON.stringify([offset, limit ?? null, pages ?? null])

const resultBlock = (block: ContentBlock, index: number, record: SessionRecord): readonly ResultBlock[] =>
  block.type === 'tool_result' && block.tool_use_id !== undefined
    ? [{ id: block.tool_use_id, content: contentOf(block, record.toolUseResult), block: index }]
    : []
