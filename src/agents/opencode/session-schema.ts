import * as v from 'valibot'

const text = v.string()
const count = v.nullish(v.number(), 0)

/** What yoke reads of a part; all else is handed on as it is. */
const PartSchema = v.looseObject({
  id: text,
  messageID: text,
  sessionID: text,
  type: text,
  /** Of `text` and `reasoning`. */
  text: v.optional(text),
  /** Not sent. */
  ignored: v.nullish(v.boolean()),
  /** Of `tool`. */
  tool: v.optional(text),
  callID: v.optional(text),
  state: v.optional(
    v.looseObject({
      status: text,
      input: v.optional(v.unknown()),
      output: v.nullish(text),
      metadata: v.optional(v.unknown()),
      /** Files that the model is shown, each a part that is stored in this one. */
      attachments: v.nullish(
        v.array(
          v.looseObject({ id: v.optional(text), sessionID: v.optional(text), messageID: v.optional(text) }),
        ),
      ),
      time: v.nullish(v.looseObject({ start: v.nullish(v.number()), end: v.nullish(v.number()) })),
    }),
  ),
})

const MessageSchema = v.looseObject({
  info: v.looseObject({
    id: text,
    sessionID: text,
    role: v.picklist(['user', 'assistant']),
    parentID: v.optional(text),
    time: v.looseObject({ created: v.number(), completed: v.nullish(v.number()) }),
    tokens: v.optional(v.looseObject({ input: count, output: count })),
    /** Of the answer that a compaction puts in the place of what came before. */
    summary: v.optional(v.unknown()),
    finish: v.nullish(text),
    error: v.optional(v.unknown()),
  }),
  parts: v.array(PartSchema),
})

/** What `opencode export` prints (1.0.185 to 1.18.33). */
export const SessionSchema = v.looseObject({
  info: v.looseObject({
    id: text,
    directory: text,
    version: v.nullish(text),
    time: v.looseObject({ created: v.number(), updated: v.number() }),
  }),
  messages: v.array(MessageSchema),
})

export type Session = v.InferOutput<typeof SessionSchema>
export type Message = v.InferOutput<typeof MessageSchema>
export type Part = v.InferOutput<typeof PartSchema>

/** The session, or what in it differs from every format that yoke knows. */
export const parseSession = (json: unknown): Session | string => {
  const result = v.safeParse(SessionSchema, json)
  if (result.success) return result.output
  return result.issues
    .slice(0, 3)
    .map((issue) => `${v.getDotPath(issue) ?? 'the export'}: ${issue.message}`)
    .join('; ')
}
