import * as v from 'valibot'
import type { Tokens } from '../agent.ts'

const count = v.nullish(v.number(), 0)

/** The provider's `usage` object. */
export const UsageSchema = v.pipe(
  v.looseObject({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  }),
  v.transform(
    (usage): Tokens => ({
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
    }),
  ),
)

export const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
