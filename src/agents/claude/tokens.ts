import * as v from 'valibot'
import type { Tokens } from '../agent.ts'

const count = v.nullish(v.number(), 0)

const counts = v.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
})

const tokensOf = (usage: v.InferOutput<typeof counts>): Tokens => ({
  input: usage.input_tokens,
  output: usage.output_tokens,
  cacheRead: usage.cache_read_input_tokens,
  cacheWrite: usage.cache_creation_input_tokens,
})

/** The provider's `usage` object. */
export const UsageSchema = v.pipe(counts, v.transform(tokensOf))

/** The same of one answer, with how long the provider caches what was sent. */
export const AnswerUsageSchema = v.pipe(
  counts,
  v.transform((usage) => ({
    tokens: tokensOf(usage),
    ...(v.is(HourSchema, usage['cache_creation']) ? ({ isCachedForAnHour: true } as const) : {}),
  })),
)

const HourSchema = v.looseObject({ ephemeral_1h_input_tokens: v.pipe(v.number(), v.minValue(1)) })
