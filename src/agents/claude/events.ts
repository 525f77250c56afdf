import * as v from 'valibot'
import type { AgentEvent } from '../agent.ts'
import { toolTarget } from '../tool-target.ts'
import { ignoredLines } from './ignored-lines.ts'
import {
  AssistantSchema,
  type BlockSchema,
  InitSchema,
  LimitSchema,
  RetrySchema,
  TaskEndedSchema,
  TaskStartedSchema,
  TextSchema,
  ToolResultSchema,
  ToolUseSchema,
  UserSchema,
  WritesLostSchema,
} from './line-schemas.ts'
import { agentResult, ResultSchema } from './result.ts'

/**
 * One line of `--output-format stream-json`. Never throws: a line that yoke does not know becomes `unknown` with its name, one
 * that lacks what yoke reads of it `unknown` with its name and `(malformed)`.
 */
export const parseLine = (line: string): readonly AgentEvent[] => {
  if (line.trim() === '') return []
  const json = parseJson(line)
  const head = v.safeParse(HeadSchema, json)
  if (!head.success) return unknown('(malformed)')
  const { type, subtype } = head.output
  const name = type === 'system' ? `system/${subtype ?? ''}` : type
  if (ignoredLines.has(name)) return []
  return readers.get(name)?.(json, name) ?? unknown(name)
}

const HeadSchema = v.looseObject({ type: v.string(), subtype: v.nullish(v.string()) })

type Reader = (value: unknown, name: string) => readonly AgentEvent[]

const reader =
  <S extends v.GenericSchema>(schema: S, read: (value: v.InferOutput<S>) => readonly AgentEvent[]): Reader =>
  (value, name) => {
    const parsed = v.safeParse(schema, value)
    return parsed.success ? read(parsed.output) : unknown(`${name} (malformed)`)
  }

const readers: ReadonlyMap<string, Reader> = new Map([
  [
    'system/init',
    reader(InitSchema, (line) => [
      {
        type: 'started',
        session: line.session_id,
        ...(line.model == null ? {} : { model: line.model }),
        ...(line.claude_code_version == null ? {} : { version: line.claude_code_version }),
      },
    ]),
  ],
  [
    'system/api_retry',
    reader(RetrySchema, (line) => [
      {
        type: 'retrying',
        attempt: line.attempt,
        of: line.max_retries,
        delayMs: line.retry_delay_ms,
        cause: [line.error_status, line.error].filter((part) => part != null).join(' '),
      },
    ]),
  ],
  [
    'system/session_writes_lost',
    reader(WritesLostSchema, ({ lost, error_code: cause }) =>
      lost.includes('transcript') ? [{ type: 'session-lost', cause }] : [],
    ),
  ],
  ['system/task_started', reader(TaskStartedSchema, (line) => taskEvents(line))],
  [
    'system/task_notification',
    reader(TaskEndedSchema, (line) => [{ type: 'background-ended', id: line.task_id }]),
  ],
  ['assistant', reader(AssistantSchema, (line) => assistantEvents(line))],
  ['user', reader(UserSchema, (line) => line.message.content.flatMap((block) => readBlock('user', block)))],
  ['rate_limit_event', reader(LimitSchema, (line) => limitEvents(line.rate_limit_info))],
  ['result', reader(ResultSchema, (line) => [{ type: 'result', result: agentResult(line) }])],
])

const assistantEvents = (line: v.InferOutput<typeof AssistantSchema>): readonly AgentEvent[] => {
  const { message } = line
  if (line.is_api_error_message || line.error != null)
    return [{ type: 'request-failed', error: line.error ?? 'unknown', text: textOf(message.content) }]
  // Words that the CLI puts into the model's mouth, such as "No response requested."
  if (message.model === '<synthetic>') return []
  const blocks = message.content.flatMap((block) => readBlock('assistant', block))
  // A subagent has a context and words of its own; its tool calls show that the agent is at work.
  if (line.parent_tool_use_id != null) return blocks.filter((event) => event.type !== 'said')
  return message.usage == null
    ? blocks
    : [...blocks, { type: 'usage', message: message.id, ...message.usage }]
}

const called = reader(ToolUseSchema, (block) => [
  { type: 'tool-called', id: block.id, tool: block.name, target: toolTarget(block.input) },
])

const returned = reader(ToolResultSchema, (block) => [
  { type: 'tool-returned', id: block.tool_use_id, failed: block.is_error },
])

const thought: Reader = () => [{ type: 'thought' }]
const nothing: Reader = () => []

/** Blocks by the record that holds them: the prompt of a user record is not the model's text. */
const blockReaders: ReadonlyMap<string, Reader> = new Map([
  [
    'assistant/text',
    reader(TextSchema, (block) => (block.text === '' ? [] : [{ type: 'said', text: block.text }])),
  ],
  ['assistant/thinking', thought],
  ['assistant/redacted_thinking', thought],
  ['assistant/tool_use', called],
  // The provider runs these itself, within one answer of the model.
  ['assistant/server_tool_use', nothing],
  ['assistant/web_search_tool_result', nothing],
  ['user/tool_result', returned],
  ['user/text', nothing],
  ['user/image', nothing],
  ['user/document', nothing],
])

const readBlock = (
  record: 'assistant' | 'user',
  block: v.InferOutput<typeof BlockSchema>,
): readonly AgentEvent[] => {
  const name = `${record}/${block.type}`
  return blockReaders.get(name)?.(block, name) ?? unknown(name)
}

/** A task in the foreground is the tool call that started it. */
const taskEvents = (line: v.InferOutput<typeof TaskStartedSchema>): readonly AgentEvent[] =>
  line.is_backgrounded
    ? [
        {
          type: 'background-started',
          id: line.task_id,
          kind: line.task_type === 'local_bash' ? 'command' : 'agent',
          target: line.description,
        },
      ]
    : []

/** Only a refusal is an event: the other states come with every answer. */
const limitEvents = (info: v.InferOutput<typeof LimitSchema>['rate_limit_info']): readonly AgentEvent[] =>
  info.status === 'rejected'
    ? [
        {
          type: 'limit',
          ...(info.resetsAt == null ? {} : { resetsAt: info.resetsAt * 1000 }),
          text: `${info.rateLimitType.replaceAll('_', ' ')} limit reached`,
        },
      ]
    : []

const textOf = (blocks: readonly v.InferOutput<typeof BlockSchema>[]): string =>
  blocks.map((block) => (typeof block['text'] === 'string' ? block['text'] : '')).join('\n')

const unknown = (name: string): readonly AgentEvent[] => [{ type: 'unknown', name }]

const parseJson = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
