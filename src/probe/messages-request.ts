import * as v from 'valibot'

const text = v.string()

const CacheControlSchema = v.nullish(
  v.looseObject({ type: text, ttl: v.optional(v.picklist(['5m', '1h']), '5m') }),
)

const ContentBlockSchema = v.looseObject({ type: text, cache_control: CacheControlSchema })
const ContentSchema = v.union([text, v.array(ContentBlockSchema)])

/** The body of `POST /v1/messages`, as far as the model server looks into it. Everything else is left as it came. */
export const MessagesRequestSchema = v.looseObject({
  model: text,
  max_tokens: v.optional(v.number()),
  stream: v.optional(v.boolean(), false),
  system: v.optional(ContentSchema, []),
  tools: v.optional(v.array(v.looseObject({ name: text, cache_control: CacheControlSchema })), []),
  /** Claude Code 2.1.332 also sends messages of the role `system`. */
  messages: v.pipe(
    v.array(v.looseObject({ role: v.picklist(['user', 'assistant', 'system']), content: ContentSchema })),
    v.nonEmpty('at least one message is required'),
  ),
  metadata: v.optional(v.looseObject({ user_id: v.nullish(text) })),
})

export type MessagesRequest = v.InferOutput<typeof MessagesRequestSchema>
export type ContentBlock = v.InferOutput<typeof ContentBlockSchema>
export type Content = string | readonly ContentBlock[]
export type Message = MessagesRequest['messages'][number]

/** The API takes a string for one text block. */
export const blocksOf = (content: Content): readonly ContentBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content } as ContentBlock] : content

export const textOf = (content: Content): string =>
  blocksOf(content)
    .map((block) => block['text'])
    .filter((part) => typeof part === 'string')
    .join('\n')
