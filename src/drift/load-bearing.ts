import type { JsonType } from './shape.ts'

/** A key that the trim stands on. */
export type LoadBearing = {
  readonly types: readonly JsonType[]
  /** It may be left out. */
  readonly optional?: true
  /** What would go wrong without it. */
  readonly why: string
}

const text = ['string'] as const
const flag = ['boolean'] as const

const chain: Readonly<Record<string, LoadBearing>> = {
  uuid: { types: text, why: 'records are linked by it' },
  parentUuid: { types: ['string', 'null'], why: 'it says which record comes before' },
  timestamp: { types: text, why: 'up to 2.1.100 the latest one is resumed from' },
  isSidechain: { types: flag, why: 'the records of a subagent are told by it' },
}

const block: Readonly<Record<string, LoadBearing>> = {
  type: { types: text, why: 'it says what the block is' },
}

/**
 * What a trim reads or writes, by part and key, and nothing else: anything beside it may change without harm. One that is
 * missing or of another type means that a trim could lose or invent something without noticing.
 */
export const loadBearing: Readonly<Record<string, Readonly<Record<string, LoadBearing>>>> = {
  user: {
    ...chain,
    message: { types: ['object'], why: 'prompts and results stand in it' },
    isMeta: { types: flag, optional: true, why: 'it tells what the CLI says from a prompt' },
    isCompactSummary: { types: flag, optional: true, why: 'the summary of a compaction stays' },
  },
  assistant: {
    ...chain,
    message: { types: ['object'], why: 'answers and tool uses stand in it' },
    isApiErrorMessage: { types: flag, optional: true, why: 'an error is no answer' },
  },
  attachment: { ...chain, attachment: { types: ['object'], why: 'its type says whether it stays' } },
  system: { ...chain, subtype: { types: text, why: 'the boundary of a compaction is told by it' } },
  'user.message': {
    content: { types: ['string', 'array'], why: 'prompts and results stand in it' },
  },
  'assistant.message': {
    id: { types: text, why: 'the lines of one answer are joined by it' },
    content: { types: ['string', 'array'], why: 'texts and tool uses stand in it' },
    usage: { types: ['object'], why: 'stale figures set off a compaction' },
  },
  'user/': block,
  'assistant/': block,
  'assistant/tool_use': {
    id: { types: text, why: 'a result is paired with it' },
    name: { types: text, why: 'Reads are told by it' },
    input: { types: ['object'], why: 'it names the file' },
  },
  'assistant/text': { text: { types: text, why: 'the last text stays' } },
  'user/tool_result': {
    tool_use_id: { types: text, why: 'it is paired with its use' },
    content: { types: ['string', 'array'], optional: true, why: 'it holds what was read' },
    is_error: { types: flag, optional: true, why: 'an error holds no content' },
  },
  Read: { file_path: { types: text, why: 'KEEP entries are compared with it' } },
  'attachment:': { type: { types: text, why: 'it says whether the attachment stays' } },
  'attachment:file': { filename: { types: text, why: 'KEEP entries are compared with it' } },
}

/** What holds for a part: its own rows, and those of its kind (`user/`, `attachment:`, `system`). */
export const loadBearingOf = (part: string): ReadonlyMap<string, LoadBearing> => {
  const kind = /^(?:user|assistant)\/|^attachment:/.exec(part)?.[0]
  const whole = part.startsWith('system:') ? 'system' : part
  return new Map([
    ...Object.entries((kind === undefined ? undefined : loadBearing[kind]) ?? {}),
    ...Object.entries(loadBearing[whole] ?? {}),
  ])
}
