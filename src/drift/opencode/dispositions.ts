/** What a trim does with a part of a message, and why. */
type Row = { readonly does: 'keep' | 'select' | 'drop'; readonly why: string }

const keep = (why: string): Row => ({ does: 'keep', why })
const drop = (why: string): Row => ({ does: 'drop', why })

const step = drop('marks where a step begins or ends; never sent, and a session without is resumed (1.18.33)')
const prompt = keep('part of the first prompt')

/** Parts of messages, by role and type, as far as releases write them or name them in their schema. */
export const partRows: Readonly<Record<string, Row>> = {
  'user/text': prompt,
  'user/file': prompt,
  'user/agent': prompt,
  'user/subtask': prompt,
  'user/compaction': drop('the mark of a compaction: it would hide the prompt'),
  'assistant/text': { does: 'select', why: 'the last one stays, and the summary of a compaction' },
  'assistant/tool': { does: 'select', why: 'reads of kept files stay, with their results' },
  'assistant/reasoning': drop('its signature is bound to everything before it'),
  'assistant/step-start': step,
  'assistant/step-finish': step,
  'assistant/patch': drop('names the files that a step changed; never sent'),
  'assistant/snapshot': drop('a state of the files to go back to; never sent'),
  'assistant/retry': drop('a request that failed; never sent'),
  'assistant/file': drop('a file that a model made'),
  'assistant/agent': drop('names a subagent that was called'),
  'assistant/subtask': drop('as above'),
  'assistant/compaction': drop('the mark of a compaction'),
}

/** Objects that hold parts or stand within one: they stay or go with it. */
export const innerParts: ReadonlySet<string> = new Set([
  ...['export', 'session', 'message', 'user', 'assistant'],
  ...['user.time', 'user.tokens', 'assistant.time', 'assistant.tokens', 'Read'],
  ...['tool:completed', 'tool:error', 'tool:running', 'tool:pending'],
])

export const isKnownPart = (name: string): boolean => innerParts.has(name) || Object.hasOwn(partRows, name)
