import * as v from 'valibot'
import type { Tokens } from '../agent.ts'

const text = v.string()
const count = v.nullish(v.number(), 0)

/** Every line of `--format json` names its session. */
export const HeadSchema = v.looseObject({ type: text, sessionID: v.nullish(text) })

export const StepStartSchema = v.looseObject({ sessionID: text })

export const TextSchema = v.looseObject({ part: v.looseObject({ text: text }) })

/** A tool that has ended; one that has not is not reported. `callID` is the provider's. */
export const ToolSchema = v.looseObject({
  part: v.looseObject({
    tool: text,
    callID: text,
    state: v.looseObject({ status: text, input: v.optional(v.unknown()), error: v.nullish(text) }),
  }),
})

export const TokensSchema = v.pipe(
  v.looseObject({
    input: count,
    output: count,
    reasoning: count,
    cache: v.nullish(v.looseObject({ read: count, write: count }), { read: 0, write: 0 }),
  }),
  v.transform(
    (tokens): Tokens => ({
      input: tokens.input,
      // The provider bills what the model thinks as output.
      output: tokens.output + tokens.reasoning,
      cacheRead: tokens.cache.read,
      cacheWrite: tokens.cache.write,
    }),
  ),
)

/** `reason` is new in 1.0; a step is one answer of the model, and its cost stands for itself. */
export const StepFinishSchema = v.looseObject({
  part: v.looseObject({ messageID: text, reason: text, tokens: TokensSchema, cost: count }),
})

/** A part of a subagent, which works in a session of its own. */
export const DelegatedSchema = v.looseObject({
  tool: v.literal('task'),
  state: v.looseObject({ metadata: v.looseObject({ sessionId: v.pipe(text, v.regex(/^ses_\w+$/)) }) }),
})

/** The shape of `error.data` differs by the name of the error. */
export const ErrorSchema = v.looseObject({
  error: v.looseObject({
    name: v.nullish(text, 'UnknownError'),
    data: v.nullish(
      v.looseObject({
        message: v.nullish(text, ''),
        statusCode: v.nullish(v.number()),
        providerID: v.nullish(text),
      }),
    ),
  }),
})

/** What the log of a release up to 1.14 says of a failed request; which of the fields there are differs by the cause. */
export const OldErrorSchema = v.looseObject({
  error: v.looseObject({
    name: v.nullish(text),
    message: v.nullish(text),
    code: v.nullish(text),
    cause: v.nullish(v.looseObject({ code: v.nullish(text) })),
    data: v.nullish(v.looseObject({ error: v.nullish(v.looseObject({ message: v.nullish(text) })) })),
  }),
})
