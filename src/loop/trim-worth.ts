import type { RunEvent } from '../events.ts'
import { inInputTokens, priceRatios } from './cost.ts'
import { sessionOf, withSession } from './session.ts'
import type { RoleSession, RunState, WorkerTurn } from './state.ts'

/**
 * What is foreseen of the worker's next turns, from those that it has done. Amounts are in input tokens, by the ratios of the provider's
 * price list.
 */
export type TrimForesight = {
  /** Model calls of a turn. */
  readonly calls: number
  /** Turns to come in this session, at most. */
  readonly turns: number
  /** What it has cost so far to carry along what a trim would have taken out. */
  readonly carried: number
  /** A loss up to this is taken: what is of no use to the model also makes its work worse. */
  readonly slack: number
  /** The provider still holds what stands before the first answer as a prefix of its own. */
  readonly isHeadCached: boolean
  /** What a token costs that is written to the cache, and not read from it. */
  readonly writing: number
}

/** What a trim would leave. */
export type TrimPrice = {
  /** Estimated tokens of the messages in the next request: as the session is, and when it is trimmed. */
  readonly before: number
  readonly after: number
  /** Of these, those before the first answer. */
  readonly head: number
  /** Files that stay. */
  readonly reads: number
}

/** The provider drops what it has cached when nobody has read it for so long. */
const lifetimeMs = { '5m': 300_000, '1h': 3_600_000 } as const

/** The provider looks for a cached prefix at 20 places from the end on: a kept file has two, the last answer and the prompt one each. */
const mostReads = 8

/** A loss of this share of a turn is none. */
const slackShare = 0.03

/** Beyond this an agent with the usual window of 200,000 tokens may compact by itself: KEEP knows better what is of use. */
const mostTokens = 160_000

/**
 * What decides whether a trim of the worker's session is worth its price; undefined where it is whatever it comes to: the
 * provider's cache holds nothing of the session by the next turn, the context is about to be full, or nothing is to come.
 */
export const trimForesight = (state: RunState): TrimForesight | undefined => {
  const { directives, workerTurns, workerPauses, iteration, iterationsBefore } = state
  const turn = workerTurns.at(-1)
  if (directives.trim === 'always' || turn === undefined || turn.tokens.cacheRead === 0) return undefined
  const lifetime = lifetimeMs[turn.lifetime]
  const pause = median(workerPauses)
  if (pause >= lifetime) return undefined
  if (turn.peak + turn.growth > Math.min(mostTokens, directives['context-fork-over'] ?? mostTokens))
    return undefined
  const session = sessionOf(state, 'worker')
  const turns = Math.min(
    directives['max-iterations'] - (iteration - iterationsBefore),
    (directives['context-fork-every'] ?? Number.POSITIVE_INFINITY) - session.turns,
  )
  const calls = median(workerTurns.map((each) => each.calls))
  if (turns <= 0 || calls === 0) return undefined
  return {
    calls,
    turns,
    carried: session.carried ?? 0,
    isHeadCached: turn.endedAt + pause - (session.headSentAt ?? 0) < lifetime,
    slack: slackShare * inInputTokens(turn.tokens),
    writing: priceRatios.write[turn.lifetime] - priceRatios.read,
  }
}

/**
 * Why a trim would cost more than it saves, or undefined. It costs to write anew what stays, which else is read from the cache; it saves to
 * read what goes, in each call to come. As long as what was carried along so far is less than the price of the trim, it can wait for the
 * next turn (the rule of Silver and Meal for the size of orders), for the job may be done by then.
 */
export const trimLoss = (foresight: TrimForesight, price: TrimPrice): string | undefined => {
  const { carried, turns, slack, writing, isHeadCached } = foresight
  const { before, after, head, reads } = price
  const carries = carriedInTurn(foresight, price)
  const written = isHeadCached && reads <= mostReads ? after - head : after
  const saved = Math.min(carried + carries, turns * carries)
  return writing * written - saved > slack
    ? `it would cost more than it saves: ${after} of about ${before} tokens would stay, to be written to the provider's cache anew`
    : undefined
}

const carriedInTurn = (
  { calls }: Pick<TrimForesight, 'calls'>,
  { before, after }: Pick<TrimPrice, 'before' | 'after'>,
): number => priceRatios.read * Math.max(0, before - after) * calls

/** What is known of the worker's session after a trim that was skipped. */
export const afterSkippedTrim = (
  state: RunState,
  { reason, tokensBefore: before, tokensAfter: after }: RunEvent & { type: 'trim.skipped' },
): Partial<RoleSession> => {
  if (before === undefined || after === undefined) return { trim: reason }
  const calls = median(state.workerTurns.map((turn) => turn.calls))
  const { carried = 0 } = sessionOf(state, 'worker')
  return { trim: 'spared', carried: carried + carriedInTurn({ calls }, { before, after }) }
}

/** So many turns and pauses are looked back at. */
const remembered = 5

/** The state after a turn of the worker that ended well. */
export const rememberTurn = (state: RunState, event: RunEvent & { type: 'agent.finished' }): RunState => {
  const { first, peak, calls, lifetime } = event.context ?? { first: 0, peak: 0 }
  const turn: WorkerTurn = {
    calls: calls ?? event.turns,
    tokens: event.tokens,
    peak,
    growth: peak - first,
    lifetime: lifetime ?? '5m',
    endedAt: Date.parse(event.at),
  }
  return { ...state, workerTurns: [...state.workerTurns, turn].slice(-remembered) }
}

/** The state when the worker starts: what lay between its turn before and this one, and when its session was first sent as it is. */
export const rememberStart = (state: RunState, at: number): RunState => {
  const turn = state.workerTurns.at(-1)
  const sent = withSession(state, 'worker', { headSentAt: sessionOf(state, 'worker').headSentAt ?? at })
  return turn === undefined || (state.attempts['worker'] ?? 0) > 0
    ? sent
    : { ...sent, workerPauses: [...state.workerPauses, at - turn.endedAt].slice(-remembered) }
}

/** Of an even number the greater one of the middle. */
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
