import * as v from 'valibot'
import { exitCode, YokeError } from '../errors.ts'

const text = v.string()
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A timer holds 2^31-1 ms at most. */
const milliseconds = v.pipe(count, v.maxValue(2 ** 31 - 1))
const anything = v.record(text, v.unknown())

const compiles = (source: string): boolean => {
  try {
    return new RegExp(source, 'mu') instanceof RegExp
  } catch {
    return false
  }
}

const RoleSchema = v.pipe(
  v.strictObject({
    name: v.pipe(text, v.nonEmpty('must not be empty')),
    /** A regular expression (flags `mu`) over the system prompt and the first user message. */
    match: v.optional(v.pipe(text, v.check(compiles, 'must be a regular expression'))),
    /** The name of a tool that the request offers. */
    tool: v.optional(text),
  }),
  v.check(({ match, tool }) => match !== undefined || tool !== undefined, 'needs `match` or `tool`'),
)

const blockSchemas = {
  text: v.strictObject({ text }),
  thinking: v.strictObject({ thinking: text, signature: v.optional(text) }),
  tool: v.strictObject({ tool: text, input: anything, id: v.optional(text) }),
  /** A call of the tool StructuredOutput where the request offers it, else a text that is the JSON. */
  answer: v.strictObject({ answer: anything }),
}

const unknownBlock = v.never(`needs one of the keys ${Object.keys(blockSchemas).join(', ')}`)

/** A union would only say "invalid type": the first key that tells the kinds apart chooses the schema. */
const byKey = <S extends Readonly<Record<string, v.GenericSchema>>, O extends v.GenericSchema>(
  schemas: S,
  otherwise: O,
) =>
  v.lazy((input): S[keyof S] | O => {
    const keys = typeof input === 'object' && input !== null ? Object.keys(input) : []
    const key = Object.keys(schemas).find((each) => keys.includes(each))
    return key === undefined ? otherwise : (schemas[key] as S[keyof S])
  })

const BlockSchema = byKey(blockSchemas, unknownBlock)

const UsageSchema = v.partial(
  v.strictObject({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  }),
)

const pace = {
  /** The reply is given to so many requests in a row: an error, to every retry of the CLI. */
  times: v.optional(v.pipe(count, v.minValue(1))),
  /** Before the first byte. */
  delayMs: v.optional(milliseconds),
}

const MessageReplySchema = v.strictObject({
  ...pace,
  blocks: v.pipe(v.array(BlockSchema), v.nonEmpty('needs at least one block')),
  /** `tool_use` when a block calls a tool, else `end_turn`. */
  stop: v.optional(
    v.picklist(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'refusal', 'pause_turn']),
  ),
  /** Replaces counts of the computed usage. */
  usage: v.optional(UsageSchema),
  /** Before every content delta. */
  chunkDelayMs: v.optional(milliseconds),
  /** The connection is destroyed after so many events of the stream (a reply in one piece: in its middle). */
  cutAfter: v.optional(count),
  /** The stream breaks off in its middle with an `overloaded_error` event (a reply in one piece: status 529). */
  overloadedMidStream: v.optional(v.boolean()),
})

const ErrorReplySchema = v.strictObject({
  ...pace,
  error: v.strictObject({
    status: v.pipe(count, v.minValue(400), v.maxValue(599)),
    /** As the API names it: `rate_limit_error`, `overloaded_error`, ... */
    type: text,
    message: text,
    /** Seconds, for the header `retry-after`. */
    retryAfter: v.optional(count),
    headers: v.optional(v.record(text, text)),
  }),
})

const ReplySchema = byKey({ error: ErrorReplySchema }, MessageReplySchema)

/** One start of the agent: the replies to its requests, in order. */
const TurnSchema = v.pipe(v.array(ReplySchema), v.nonEmpty('needs at least one reply'))

/** What the model says and does in a rehearsal, a demo or a test, role by role. Strings may hold `{{variables}}`. */
export const ScenarioSchema = v.pipe(
  v.strictObject({
    $schema: v.optional(text),
    name: v.pipe(text, v.nonEmpty('must not be empty')),
    description: v.optional(text),
    /** The first that fits a request is its role. */
    roles: v.array(RoleSchema),
    script: v.record(text, v.array(TurnSchema)),
    /** When a role has no turn left: play its last one again, or answer with an error. */
    repeat: v.optional(v.boolean(), false),
    /** The reply to a request that fits no role, or is one of the CLI's side requests. */
    otherwise: v.optional(ReplySchema, { blocks: [{ text: 'Understood.' }] }),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const names = dataset.value.roles.map(({ name }) => name)
    for (const name of Object.keys(dataset.value.script)) {
      if (!names.includes(name)) addIssue({ message: `script.${name}: no role has this name` })
    }
    for (const name of names) {
      if (!(name in dataset.value.script)) addIssue({ message: `roles: the script has no turns for ${name}` })
    }
  }),
)

export type Scenario = v.InferOutput<typeof ScenarioSchema>
export type ScriptRole = v.InferOutput<typeof RoleSchema>
export type ScriptBlock = v.InferOutput<(typeof blockSchemas)[keyof typeof blockSchemas]>
export type MessageReply = v.InferOutput<typeof MessageReplySchema>
export type ErrorReply = v.InferOutput<typeof ErrorReplySchema>
export type Reply = MessageReply | ErrorReply

/** Throws `E_SCENARIO`, which names every place that does not fit. */
export const parseScenario = (input: unknown): Scenario => {
  const result = v.safeParse(ScenarioSchema, input)
  if (result.success) return result.output
  const problems = result.issues.map((issue) => {
    const path = v.getDotPath(issue)
    return path === null ? issue.message : `${path}: ${issue.message}`
  })
  throw new YokeError(
    'E_SCENARIO',
    `The scenario does not fit its schema. ${problems.join('; ')}`,
    'Correct the scenario file.',
    exitCode.usage,
  )
}
