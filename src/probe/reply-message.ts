import { createHash } from 'node:crypto'
import type { MessagesRequest } from './messages-request.ts'
import { estimateTokens, type InputUsage } from './prompt-cache.ts'
import type { MessageReply, ScriptBlock } from './scenario.ts'

export type ReplyBlock = Readonly<Record<string, unknown>> & { readonly type: string }

export type Usage = InputUsage & { readonly output_tokens: number; readonly service_tier: 'standard' }

/** A `message` of the Messages API. */
export type ReplyMessage = {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly ReplyBlock[]
  readonly stop_reason: string
  readonly stop_sequence: null
  readonly usage: Usage
}

const answerTool = 'StructuredOutput'

/** `seed` is unique to the reply: the ids are made from it, so that a second rehearsal has the same ones. */
export const replyMessage = (
  reply: MessageReply,
  request: MessagesRequest,
  input: InputUsage,
  seed: string,
): ReplyMessage => {
  const offers = request.tools.some(({ name }) => name === answerTool)
  const content = reply.blocks.map((block, index) => replyBlock(block, offers, `${seed}/${index}`))
  const callsTool = content.some(({ type }) => type === 'tool_use')
  return {
    id: `msg_01${digest(seed, 22)}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: reply.stop ?? (callsTool ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: {
      ...input,
      output_tokens: estimateTokens(JSON.stringify(content)),
      service_tier: 'standard',
      ...(reply.usage as Partial<Usage>),
    },
  }
}

const replyBlock = (block: ScriptBlock, offersAnswer: boolean, seed: string): ReplyBlock => {
  if ('text' in block) return { type: 'text', text: block.text }
  if ('thinking' in block)
    return {
      type: 'thinking',
      thinking: block.thinking,
      signature: block.signature ?? signature(`${seed}/${block.thinking}`),
    }
  const id = `toolu_01${digest(seed, 22)}`
  if ('tool' in block) return toolUse(block.tool, block.input, block.id ?? id)
  return offersAnswer
    ? toolUse(answerTool, block.answer, id)
    : { type: 'text', text: JSON.stringify(block.answer) }
}

const toolUse = (name: string, input: unknown, id: string): ReplyBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
})

const digest = (seed: string, length: number): string =>
  createHash('sha256').update(seed).digest('hex').slice(0, length)

/** Real signatures have some hundred bytes: a stand-in of that size keeps the sizes of sessions true. */
const signature = (seed: string): string =>
  Buffer.concat(
    Array.from({ length: 8 }, (_, part) => createHash('sha256').update(`${part}/${seed}`).digest()),
  ).toString('base64')
