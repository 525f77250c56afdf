import * as v from 'valibot'
import { noTokens } from '../../loop/tokens.ts'
import type { AgentResult } from '../agent.ts'
import { toolTarget } from '../tool-target.ts'
import { UsageSchema } from './tokens.ts'

const DenialSchema = v.looseObject({ tool_name: v.string(), tool_input: v.optional(v.unknown()) })

/** The line that ends a run. The cost had other names before 1.0.22. */
export const ResultSchema = v.looseObject({
  subtype: v.nullish(v.string(), ''),
  is_error: v.nullish(v.boolean(), false),
  terminal_reason: v.nullish(v.string()),
  api_error_status: v.nullish(v.number()),
  session_id: v.nullish(v.string()),
  num_turns: v.nullish(v.number(), 0),
  duration_ms: v.nullish(v.number(), 0),
  total_cost_usd: v.nullish(v.number()),
  total_cost: v.nullish(v.number()),
  cost_usd: v.nullish(v.number()),
  usage: v.nullish(UsageSchema),
  result: v.nullish(v.string(), ''),
  errors: v.nullish(v.array(v.string()), []),
  permission_denials: v.nullish(v.array(DenialSchema), []),
  structured_output: v.optional(v.unknown()),
})

export const agentResult = (line: v.InferOutput<typeof ResultSchema>): AgentResult => ({
  subtype: line.subtype,
  isError: line.is_error,
  ...(line.terminal_reason == null ? {} : { terminalReason: line.terminal_reason }),
  ...(line.api_error_status == null ? {} : { apiStatus: line.api_error_status }),
  ...(line.session_id == null ? {} : { session: line.session_id }),
  turns: line.num_turns,
  durationMs: line.duration_ms,
  costUsd: line.total_cost_usd ?? line.total_cost ?? line.cost_usd ?? 0,
  tokens: line.usage ?? noTokens,
  text: line.result,
  errors: line.errors,
  denials: line.permission_denials.map((denial) =>
    `${denial.tool_name} ${toolTarget(denial.tool_input)}`.trimEnd(),
  ),
  ...(line.structured_output == null ? {} : { answer: line.structured_output }),
})
