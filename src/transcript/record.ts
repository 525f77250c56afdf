import * as v from 'valibot'

// Only what the trim touches is described; every other key and type passes through untouched (the on-disk format is internal
// to the CLI and grows in almost every release).
const text = v.fallback(v.optional(v.string()), undefined)
const flag = v.fallback(v.optional(v.boolean(), false), false)

const Block = v.looseObject({
  type: v.string(),
  id: text,
  name: text,
  input: v.fallback(v.optional(v.unknown()), undefined),
  text: text,
  tool_use_id: text,
  is_error: flag,
  content: v.optional(v.unknown()),
  citations: v.fallback(v.nullish(v.array(v.unknown())), undefined),
})

const Message = v.looseObject({
  id: text,
  role: text,
  model: text,
  content: v.union([v.string(), v.array(Block)]),
})

const Attachment = v.looseObject({ type: v.string(), toolUseID: text, filename: text })

const RecordSchema = v.looseObject({
  type: v.string(),
  subtype: text,
  uuid: text,
  parentUuid: v.fallback(v.nullish(v.string()), undefined),
  timestamp: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  cwd: text,
  version: text,
  message: v.fallback(v.optional(Message), undefined),
  attachment: v.fallback(v.optional(Attachment), undefined),
  toolUseResult: v.optional(v.unknown()),
  leafUuid: text,
  messageId: text,
})

/** One line of a session file, read. */
export type SessionRecord = v.InferOutput<typeof RecordSchema>
export type ContentBlock = v.InferOutput<typeof Block>

/** Undefined when the line is no JSON object with a type. */
export const parseRecord = (bytes: Buffer): SessionRecord | undefined => recordOf(parseLine(bytes))

/** The JSON of a line; undefined when it is none. */
export const parseLine = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

export const recordOf = (json: unknown): SessionRecord | undefined => {
  const parsed = v.safeParse(RecordSchema, json)
  return parsed.success ? parsed.output : undefined
}

/** The types whose records make up the conversation, with `uuid` and `parentUuid`; `progress` only in old files. */
const chainTypes = new Set(['user', 'assistant', 'attachment', 'system', 'progress'])

/** A type that yoke does not know belongs to the chain when its record has a uuid: it is kept and relinked. */
export const isChainRecord = (record: SessionRecord): boolean =>
  chainTypes.has(record.type) || (record.uuid !== undefined && 'parentUuid' in record)

export const isKnownChainType = (type: string): boolean => chainTypes.has(type)

export const blocksOf = (record: SessionRecord): readonly ContentBlock[] =>
  typeof record.message?.content === 'object' ? record.message.content : []
