import * as v from 'valibot'
import { AnswerUsageSchema } from './tokens.ts'

// What yoke reads of each line and block of the event stream; all else in them is free to change.

export const BlockSchema = v.looseObject({ type: v.string() })

const ContentSchema = v.union([
  v.pipe(
    v.string(),
    v.transform(() => []),
  ),
  v.array(BlockSchema),
])

export const AssistantSchema = v.looseObject({
  message: v.looseObject({
    id: v.nullish(v.string(), ''),
    model: v.nullish(v.string(), ''),
    content: ContentSchema,
    usage: v.nullish(AnswerUsageSchema),
  }),
  parent_tool_use_id: v.nullish(v.string()),
  error: v.nullish(v.string()),
  is_api_error_message: v.nullish(v.boolean(), false),
})

export const UserSchema = v.looseObject({ message: v.looseObject({ content: ContentSchema }) })

export const InitSchema = v.looseObject({
  session_id: v.string(),
  model: v.nullish(v.string()),
  claude_code_version: v.nullish(v.string()),
})

export const RetrySchema = v.looseObject({
  attempt: v.number(),
  max_retries: v.number(),
  retry_delay_ms: v.number(),
  error_status: v.nullish(v.number()),
  error: v.nullish(v.string()),
})

export const LimitSchema = v.looseObject({
  rate_limit_info: v.looseObject({
    status: v.string(),
    resetsAt: v.nullish(v.number()),
    rateLimitType: v.nullish(v.string(), 'usage'),
  }),
})

/** Comes last, with exit code 0: the disk was full (2.1.332). */
export const WritesLostSchema = v.looseObject({
  lost: v.array(v.string()),
  error_code: v.nullish(v.string(), 'no reason given'),
})

export const TaskStartedSchema = v.looseObject({
  task_id: v.string(),
  task_type: v.nullish(v.string(), ''),
  description: v.nullish(v.string(), ''),
  is_backgrounded: v.nullish(v.boolean(), false),
})

export const TaskEndedSchema = v.looseObject({ task_id: v.string() })

export const TextSchema = v.looseObject({ text: v.string() })
export const ToolUseSchema = v.looseObject({
  id: v.string(),
  name: v.string(),
  input: v.optional(v.unknown()),
})
export const ToolResultSchema = v.looseObject({
  tool_use_id: v.string(),
  is_error: v.nullish(v.boolean(), false),
})
