import type { Tokens } from '../agents/agent.ts'
import type { NewEvent, RunResult, Verdict } from '../events.ts'
import type { Directives } from '../task/directives.ts'

/** What the worker is told when its session goes on. */
export type Feedback =
  | { readonly kind: 'checks-failed'; readonly failures: readonly CheckFailure[] }
  | { readonly kind: 'objection'; readonly reasons: readonly string[]; readonly next: string }
  | { readonly kind: 'unread-verdict' }
  | { readonly kind: 'unjudged' }
  | { readonly kind: 'cut-off'; readonly why: string }

export type CheckFailure = { readonly command: string; readonly exit: number | null; readonly output: string }

/** How an agent that yoke can do something about came to its end. */
export type Failure = { readonly class: string; readonly resetsAt?: number; readonly evidence: string }

/** The step of an iteration that comes next. */
export type Phase =
  | { readonly at: 'ready' }
  | { readonly at: 'worker' }
  | { readonly at: 'notes' }
  | { readonly at: 'trim' }
  | { readonly at: 'check'; readonly index: number }
  | { readonly at: 'judge' }
  | { readonly at: 'recover'; readonly from: 'worker' | 'judge'; readonly failure: Failure }
  | { readonly at: 'progress' }

/** What one finished iteration leaves for the circuit breaker: equal values in a row mean that the loop is stuck. */
export type Trace = {
  readonly progress: string
  readonly checks?: string
  readonly failure?: string
  readonly objection?: string
}

/** A run at one moment: nothing but its events, reduced. */
export type RunState = {
  readonly directives: Directives
  readonly phase: Phase
  /** The iteration under way, or the last one; 0 before the first. */
  readonly iteration: number
  /** Starts of each role in this iteration, retries among them. */
  readonly attempts: Readonly<Record<string, number>>
  readonly session?: string
  /** Finished starts of the worker in this session. */
  readonly sessionIterations: number
  /** Estimated request tokens that the session holds now; 0 when not known. */
  readonly sessionTokens: number
  /** What the agent printed last as the cost of this session, in US dollars. */
  readonly sessionCostUsd: number
  /** A stale session has been left in this iteration: a second failure ends the run. */
  readonly leftStale: boolean
  /** The session was trimmed harder in this iteration because the context was full. */
  readonly trimmedHarder: boolean
  /** Waits in a row for a provider that answers nothing. */
  readonly backoffs: number
  readonly waitUntil?: number
  readonly keep?: readonly string[]
  readonly reset: boolean
  /** `undefined` until notes have been read once. */
  readonly reminded: boolean
  readonly failures: readonly CheckFailure[]
  readonly feedback?: Feedback
  readonly unreadable: number
  readonly verdict?: Verdict
  readonly trace: Omit<Trace, 'progress'>
  readonly history: readonly Trace[]
  readonly stopping?: 'interrupted' | 'terminated'
  readonly finished?: RunResult
  readonly costUsd: number
  readonly tokens: Tokens
  /** Milliseconds of work before the last resume, and when the present stretch began. */
  readonly activeMs: number
  readonly activeSince: number
  readonly lastEventAt: number
  readonly waitedMs: number
}

/** What the shell carries out next. Every step ends in at least one event, or the loop would not move. */
export type Step =
  | { readonly do: 'record'; readonly event: NewEvent }
  | { readonly do: 'run-worker'; readonly prompt: string; readonly session?: string }
  | { readonly do: 'run-judge' }
  | { readonly do: 'read-notes' }
  | {
      readonly do: 'trim'
      readonly session: string
      readonly keep: readonly string[]
      readonly harder: boolean
    }
  | { readonly do: 'check'; readonly command: string }
  | { readonly do: 'wait'; readonly until: number }
  | { readonly do: 'measure-progress' }
  | { readonly do: 'finish'; readonly result: RunResult; readonly reason: string; readonly fix: string }
