import type { ReplyBlock, ReplyMessage } from './reply-message.ts'

/** One server-sent event; its name is the `type` of the data. */
export type StreamEvent = { readonly type: string; readonly [key: string]: unknown }

const chunkCharacters = 48

/** A message as the stream of events that the Messages API sends for it. */
export const replyEvents = (message: ReplyMessage): readonly StreamEvent[] => [
  {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } },
  },
  ...message.content.flatMap((block, index) => [
    ...blockEvents(block, index),
    ...(index === 0 ? [{ type: 'ping' }] : []),
  ]),
  {
    type: 'message_delta',
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: message.usage,
  },
  { type: 'message_stop' },
]

export const overloaded: StreamEvent = {
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
}

const blockEvents = (block: ReplyBlock, index: number): readonly StreamEvent[] => {
  const { start, deltas } = parts(block)
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

const parts = (block: ReplyBlock): { readonly start: unknown; readonly deltas: readonly unknown[] } => {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: chunks(String(block['text'])).map((text) => ({ type: 'text_delta', text })),
      }
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...chunks(String(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block['signature'] },
        ],
      }
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: chunks(JSON.stringify(block['input'])).map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      }
    default:
      return { start: block, deltas: [] }
  }
}

/** By code points: half a character would not survive the way through UTF-8. */
const chunks = (text: string): readonly string[] => {
  const characters = [...text]
  return Array.from({ length: Math.ceil(characters.length / chunkCharacters) }, (_, part) =>
    characters.slice(part * chunkCharacters, (part + 1) * chunkCharacters).join(''),
  )
}
