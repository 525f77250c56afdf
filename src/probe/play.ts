import { blocksOf, type MessagesRequest, textOf } from './messages-request.ts'
import { isSideRequest, recognise } from './roles.ts'
import type { Reply, Scenario } from './scenario.ts'
import { substitute } from './variables.ts'

/** One start of an agent. */
export type Turn = {
  readonly role: string
  /** Among the turns of its role, from 0; beyond the script when its last turn repeats. */
  readonly index: number
  /** Replies given so far. */
  readonly given: number
  /** What the request that came last looked like. */
  readonly request: string
  readonly offersTools: boolean
}

/** How far the play is. */
export type Stage = {
  /**
   * By conversation, and by conversation and role: up to 2.1.120 a subagent is not told from its parent. By role for clients that
   * name no session.
   */
  readonly current: ReadonlyMap<string, Turn>
  /** Turns begun, by role. */
  readonly begun: ReadonlyMap<string, number>
}

export const emptyStage: Stage = { current: new Map(), begun: new Map() }

/** What the play has to know about a request. */
export type Arrival = {
  readonly request: MessagesRequest
  /** Session and subagent, where the client names them. */
  readonly conversation: string | undefined
  /** A connection that carried an earlier request of this turn is still open: its process lives. */
  readonly isConnected: (turn: Turn) => boolean
}

export type Cue =
  /** No role: the scenario's `otherwise`. */
  | { readonly kind: 'other' }
  | { readonly kind: 'reply'; readonly turn: Turn; readonly reply: Reply; readonly stage: Stage }
  /** The script has nothing for this request: one sentence says what is missing. */
  | { readonly kind: 'missing'; readonly turn: Turn; readonly what: string; readonly stage: Stage }

/** The reply that the script has for a request, and the turn that the request belongs to. */
export const play = (scenario: Scenario, stage: Stage, arrival: Arrival): Cue => {
  const { request, conversation } = arrival
  const role = isSideRequest(request)
    ? undefined
    : (recognise(request, scenario.roles) ?? earlierRole(stage, arrival))
  if (role === undefined) return { kind: 'other' }
  const key = `${conversation ?? ''} ${role}`
  const current = stage.current.get(key)
  const begun = stage.begun.get(role) ?? 0
  const starts = current === undefined || startsTurn(current, arrival)
  const before = starts ? { role, index: begun, given: 0 } : current
  const turn = {
    ...before,
    given: before.given + 1,
    request: outline(request),
    offersTools: request.tools.length > 0,
  }
  const next: Stage = {
    current: new Map(stage.current).set(key, turn).set(conversation ?? role, turn),
    begun: starts ? new Map(stage.begun).set(role, begun + 1) : stage.begun,
  }
  return { ...answerOf(scenario, turn), turn, stage: next }
}

/**
 * After a compaction the first message is a summary, which fits no role: the conversation keeps the one it had. What offers no
 * tools beside requests that do, or only says `Warmup` (2.0.28 to 2.1.4), the CLI asks for its own ends: which files a command has
 * read (1.0.117 to 2.1.45).
 */
const earlierRole = (stage: Stage, { request, conversation }: Arrival): string | undefined => {
  const turn = stage.current.get(conversation ?? '')
  const isOwnEnd =
    (turn?.offersTools === true && request.tools.length === 0) ||
    request.messages.some(({ content }) => textOf(content) === 'Warmup')
  return isOwnEnd ? undefined : turn?.role
}

type Answer =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'missing'; readonly what: string }

const answerOf = (scenario: Scenario, { role, index, given }: Turn): Answer => {
  const turns = scenario.script[role] ?? []
  const replies = turns[index] ?? (scenario.repeat ? turns.at(-1) : undefined)
  const number = index + 1
  if (replies === undefined)
    return { kind: 'missing', what: `scenario ${scenario.name} has no turn ${number} for ${role}` }
  const reply = replies.flatMap((each) => Array<Reply>(each.times ?? 1).fill(each))[given - 1]
  return reply === undefined
    ? {
        kind: 'missing',
        what: `scenario ${scenario.name} has no reply ${given} in turn ${number} for ${role}`,
      }
    : { kind: 'reply', reply: substitute(reply, { turn: String(number) }) }
}

/**
 * A new session starts a turn. Within one session a new prompt does, unless the same process sent it: Claude Code itself adds
 * user messages to a running turn (a call for StructuredOutput, a stop hook's words, a subagent's end). A retry repeats the
 * prompt.
 */
const startsTurn = (current: Turn, { request, isConnected }: Arrival): boolean =>
  endsInPrompt(request) && outline(request) !== current.request && !isConnected(current)

/** Claude Code puts reminders and its `system` messages behind the results of tools: they are no prompt. */
const endsInPrompt = ({ messages }: MessagesRequest): boolean => {
  const last = messages.findLast(({ role }) => role !== 'system')
  return last?.role === 'user' && !blocksOf(last.content).some(({ type }) => type === 'tool_result')
}

/** Tells a new prompt from a repeated one: the number of messages, and the end of the last user message. */
const outline = ({ messages }: MessagesRequest): string => {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  return `${at} ${textOf(messages[at]?.content ?? '').slice(-1000)}`
}
