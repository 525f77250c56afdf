import type { LoadBearing } from '../load-bearing.ts'

const text = ['string'] as const

const row = (types: LoadBearing['types'], why: string): LoadBearing => ({ types, why })

const message: Readonly<Record<string, LoadBearing>> = {
  id: row(text, 'messages are ordered by it, and an import skips one that is taken'),
  sessionID: row(text, 'it says to which session the message belongs'),
  role: row(text, 'it tells a prompt from an answer'),
  time: row(['object'], 'messages are ordered by it'),
}

const part: Readonly<Record<string, LoadBearing>> = {
  id: row(text, 'an import skips one that is taken'),
  messageID: row(text, 'it says to which message the part belongs'),
  sessionID: row(text, 'it says to which session the part belongs'),
  type: row(text, 'it says what the part is'),
}

/** What a trim of an OpenCode session reads or writes, by part and key; anything beside it may change without harm. */
export const loadBearing: Readonly<Record<string, Readonly<Record<string, LoadBearing>>>> = {
  export: {
    info: row(['object'], 'the session stands in it'),
    messages: row(['array'], 'the conversation stands in it'),
  },
  session: {
    id: row(text, 'the trimmed session is told from it'),
    directory: row(text, 'the session can be resumed only there'),
    time: row(['object'], 'an import needs it'),
  },
  message: {
    info: row(['object'], 'its role and order stand in it'),
    parts: row(['array'], 'texts and tool calls stand in it'),
  },
  user: message,
  assistant: {
    ...message,
    parentID: row(text, 'an answer hangs on its prompt by it'),
    tokens: row(['object'], 'stale counts set off a compaction of the whole session'),
  },
  'assistant.tokens': {
    input: row(['number'], 'a compaction is set off by it'),
    output: row(['number'], 'a compaction is set off by it'),
  },
  'user/': part,
  'assistant/': part,
  'user/text': { text: row(text, 'the prompt stays') },
  'assistant/text': { text: row(text, 'the last text stays') },
  'assistant/tool': {
    tool: row(text, 'reads are told by it'),
    callID: row(text, 'the provider pairs call and result by it'),
    state: row(['object'], 'input and result stand in it'),
  },
  'tool:completed': {
    status: row(text, 'only a completed read has content'),
    input: row(['object'], 'it names the file'),
    output: row(text, 'it holds what was read'),
  },
  Read: { filePath: row(text, 'KEEP entries are compared with it') },
}

/** What holds for a part: its own rows, and those of its kind (`user/`). */
export const loadBearingOf = (name: string): ReadonlyMap<string, LoadBearing> => {
  const kind = /^(?:user|assistant)\//.exec(name)?.[0] ?? ''
  return new Map([...Object.entries(loadBearing[kind] ?? {}), ...Object.entries(loadBearing[name] ?? {})])
}
