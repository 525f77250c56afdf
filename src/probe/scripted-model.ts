import { sessionOf, subagentOf } from './conversation.ts'
import type { MessagesRequest } from './messages-request.ts'
import { emptyStage, play, type Turn } from './play.ts'
import { bookRequest, type CacheEntry } from './prompt-cache.ts'
import { type ReplyMessage, replyMessage } from './reply-message.ts'
import type { ErrorReply, MessageReply, Scenario } from './scenario.ts'

/** Where in the script a request stands. */
export type Place = {
  /** A role of the scenario, or `other`. */
  readonly role: string
  /** Index of the role's turn, from 0. */
  readonly turn?: number
  /** Index of the reply within the turn, from 0. */
  readonly reply?: number
  readonly session?: string
}

export type ModelAnswer = { readonly place: Place; readonly turn?: Turn } & (
  | { readonly kind: 'message'; readonly message: ReplyMessage; readonly reply: MessageReply }
  | { readonly kind: 'error'; readonly reply: ErrorReply }
  /** The script has nothing for this request: one sentence says what is missing. */
  | { readonly kind: 'missing'; readonly what: string }
)

export type ScriptedModel = (
  request: MessagesRequest,
  headers: Readonly<Record<string, string>>,
) => ModelAnswer

/** The model that a scenario describes: remembers how far the script is, and keeps the books of the prompt cache. */
export const createScriptedModel = (options: {
  readonly scenario: Scenario
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly isConnected: (turn: Turn) => boolean
}): ScriptedModel => {
  const { scenario, now, isConnected } = options
  let stage = emptyStage
  let cache: readonly CacheEntry[] = []
  let answered = 0

  return (request, headers) => {
    const session = sessionOf(headers, request)
    const conversation = session && [session, subagentOf(headers)].join('/')
    const cue = play(scenario, stage, { request, conversation, isConnected })
    if (cue.kind !== 'other') stage = cue.stage
    const known = session === undefined ? {} : { session }
    const where =
      cue.kind === 'other'
        ? { place: { ...known, role: 'other' } }
        : {
            place: { ...known, role: cue.turn.role, turn: cue.turn.index, reply: cue.turn.given - 1 },
            turn: cue.turn,
          }
    if (cue.kind === 'missing') return { ...where, kind: 'missing', what: cue.what }
    const reply = cue.kind === 'other' ? scenario.otherwise : cue.reply
    if ('error' in reply) return { ...where, kind: 'error', reply }
    const booked = bookRequest(cache, request, now())
    cache = booked.entries
    answered += 1
    const seed = `${scenario.name}/${session}/${answered}`
    return { ...where, kind: 'message', message: replyMessage(reply, request, booked.usage, seed), reply }
  }
}
