import * as v from 'valibot'
import type { AgentEvent } from '../agent.ts'
import { toolTarget } from '../tool-target.ts'
import { goesOn } from './finish.ts'
import {
  DelegatedSchema,
  ErrorSchema,
  HeadSchema,
  OldErrorSchema,
  StepFinishSchema,
  StepStartSchema,
  TextSchema,
  ToolSchema,
} from './line-schemas.ts'

/**
 * One line of `opencode run --format json`. Never throws: a line that yoke does not know becomes `unknown` with its name, one
 * that lacks what yoke reads of it `unknown` with its name and `(malformed)`.
 */
export const parseLine = (line: string): readonly AgentEvent[] => {
  if (line.trim() === '') return []
  const json = parseJson(line)
  const head = v.safeParse(HeadSchema, json)
  if (!head.success) return unknown('(malformed)')
  const { type } = head.output
  return readers.get(type)?.(json, type) ?? unknown(type)
}

/**
 * One line of the log on standard error, of which only `ERROR` is asked for. A failed request that is tried again shows nowhere else:
 * the provider may refuse for ever (429) or be out of reach without a word in the events (1.18.33). Neither does an unknown session,
 * after which releases up to 1.1.11 hang, nor an unknown agent.
 */
export const parseErrorLine = (line: string): readonly AgentEvent[] => {
  if (unknownSession.test(line)) return [{ type: 'session-unknown' }]
  const ignored = ignoredAgent.exec(line)?.groups
  if (ignored !== undefined)
    return [
      {
        type: 'choice-unknown',
        text: `OpenCode would take its default agent for "${ignored['name']}", which ${ignored['is'] === undefined ? 'it does not know' : 'is a subagent'}: correct \`agent-args\``,
      },
    ]
  if (/ small=true /.test(line.slice(0, headLength))) return []
  const cause = causeOf(line)
  return cause === undefined
    ? []
    : [{ type: 'retrying', attempt: 0, of: 0, delayMs: 0, cause: cause.replace(/^AI_\w+: /, '') }]
}

/** Where a line says what it is about; behind that, releases up to 1.14 print the whole request. */
const headLength = 400

/** Why a request failed; undefined when the line tells of something else. */
const causeOf = (line: string): string | undefined => {
  const head = line.slice(0, headLength)
  if (/\bmessage="?stream error"?/.test(head))
    return /\berror\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? someCause
  if (!/ service=llm /.test(head) || !line.endsWith(oldEnd)) return undefined
  const parsed = v.safeParse(OldErrorSchema, parseJson(line.slice(line.indexOf('{'), -oldEnd.length)))
  if (!parsed.success) return someCause
  const { data, message, code, cause, name } = parsed.output.error
  return data?.error?.message ?? message ?? code ?? cause?.code ?? name ?? someCause
}

const someCause = 'the request failed'

/** How the line ends in releases up to 1.14. */
const oldEnd = ' stream error'

/** A store of files, as it was before 1.2.1, names the one of the session. */
const unknownSession = /\bResource not found: .*[\\/]session[\\/].*\bses_\w+\.json/

/** Before it asks the model (1.2.27 to 1.18.33): it goes on with its default agent, whose rules and prompt are other ones. */
const ignoredAgent =
  /^(?:\u001b\[\d*m|[!\s])*agent "(?<name>[^"]*)" (?:not found|(?<is>is a subagent).*)\. Falling back to default agent/

type Reader = (value: unknown, name: string) => readonly AgentEvent[]

const reader =
  <S extends v.GenericSchema>(schema: S, read: (value: v.InferOutput<S>) => readonly AgentEvent[]): Reader =>
  (value, name) => {
    const parsed = v.safeParse(schema, value)
    return parsed.success ? read(parsed.output) : unknown(`${name} (malformed)`)
  }

const readers: ReadonlyMap<string, Reader> = new Map([
  ['step_start', reader(StepStartSchema, (line) => [{ type: 'started', session: line.sessionID }])],
  [
    'text',
    reader(TextSchema, ({ part }) => (part.text.trim() === '' ? [] : [{ type: 'said', text: part.text }])),
  ],
  ['reasoning', () => [{ type: 'thought' }]],
  ['tool_use', reader(ToolSchema, ({ part }) => toolEvents(part))],
  [
    'step_finish',
    reader(StepFinishSchema, ({ part }) => [
      {
        type: 'usage',
        message: part.messageID,
        tokens: part.tokens,
        costUsd: part.cost,
        finish: part.reason,
        ...(goesOn(part.reason) ? { goesOn: true } : {}),
      },
    ]),
  ],
  ['error', reader(ErrorSchema, ({ error }) => [requestFailed(error)])],
])

/** Refused by a rule, or asked with nobody there to answer. */
const refusal = /^The user (?:rejected permission|has specified a rule which prevents)/

/** The session that a part of a message was worked on in, if it is a call of a subagent. */
export const delegatedTo = (part: unknown): readonly string[] => {
  const call = v.safeParse(DelegatedSchema, part)
  return call.success ? [call.output.state.metadata.sessionId] : []
}

const toolEvents = (part: v.InferOutput<typeof ToolSchema>['part']): readonly AgentEvent[] => {
  const { tool, callID, state } = part
  const target = toolTarget(state.input)
  const isDenied = refusal.test(state.error ?? '')
  return [
    { type: 'tool-called', id: callID, tool, target },
    {
      type: 'tool-returned',
      id: callID,
      failed: state.status === 'error',
      ...(isDenied ? { denied: `${tool} ${target}`.trimEnd() } : {}),
    },
    ...delegatedTo(part).map((session) => ({ type: 'delegated' as const, session })),
  ]
}

const requestFailed = ({ name, data }: v.InferOutput<typeof ErrorSchema>['error']): AgentEvent => ({
  type: 'request-failed',
  error: name,
  text: data?.message || name,
  ...(data?.statusCode == null ? {} : { status: data.statusCode }),
})

const parseJson = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const unknown = (name: string): readonly AgentEvent[] => [{ type: 'unknown', name }]
