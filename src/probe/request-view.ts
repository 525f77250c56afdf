import * as v from 'valibot'
import { canonicalBlocks } from './canonical.ts'
import { blocksOf, type MessagesRequest, MessagesRequestSchema, textOf } from './messages-request.ts'

/** Anything that holds the body of a `POST /v1/messages`. */
export type WithBody = { readonly body?: unknown }

/** Throws when the request is not one for messages, or when its body is only in the log. */
export const messagesRequest = (request: WithBody): MessagesRequest =>
  v.parse(MessagesRequestSchema, request.body)

/** The texts of the messages, in order; a message without text gives an empty one. */
export const messageTexts = (
  request: WithBody,
): readonly { readonly role: 'user' | 'assistant' | 'system'; readonly text: string }[] =>
  messagesRequest(request).messages.map(({ role, content }) => ({ role, text: textOf(content) }))

export type ToolUse = { readonly id: string; readonly name: string; readonly input: unknown }

export const toolUses = (request: WithBody): readonly ToolUse[] =>
  contentBlocks(request)
    .filter(({ type }) => type === 'tool_use')
    .map((block) => ({ id: String(block['id']), name: String(block['name']), input: block['input'] }))

/** The id of a tool use -> the text of its result. */
export const toolResults = (request: WithBody): ReadonlyMap<string, string> =>
  new Map(
    contentBlocks(request)
      .filter(({ type }) => type === 'tool_result')
      .map((block) => {
        const content = block['content']
        const text = typeof content === 'string' || Array.isArray(content) ? textOf(content) : ''
        return [String(block['tool_use_id']), text]
      }),
  )

/**
 * What a provider's cache sees of tools, system and the first `throughMessage` messages: one JSON text a block, in the
 * order of the cache, without the marks that do not count (`canonical.ts`). Equal texts mean an unbroken prefix.
 */
export const prefixBytes = (request: WithBody, throughMessage: number): string =>
  canonicalBlocks(messagesRequest(request))
    .filter(({ message }) => message === undefined || message < throughMessage)
    .map(({ json }) => json)
    .join('\n')

const contentBlocks = (request: WithBody) =>
  messagesRequest(request).messages.flatMap(({ content }) => blocksOf(content))
