import type { Role, SessionUse, Tokens } from '../agents/agent.ts'
import type { NewEvent, RunResult, Verdict } from '../events.ts'
import type { Directives } from '../task/directives.ts'
import type { TrimForesight } from './trim-worth.ts'

/** What the worker is told when its session goes on. */
export type Feedback =
  | { readonly kind: 'checks-failed'; readonly failures: readonly CheckFailure[] }
  | { readonly kind: 'objection'; readonly reasons: readonly string[]; readonly next: string }
  | { readonly kind: 'unread-verdict' }
  | { readonly kind: 'unjudged' }
  | { readonly kind: 'cut-off'; readonly why: string }

export type CheckFailure = { readonly command: string; readonly exit: number | null; readonly output: string }

/** The worker's own summary of what it did. */
export type CommitWords = { readonly subject: string; readonly body: string }

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
  /** The task is done, and what was done is committed (`commit: done`). */
  | { readonly at: 'commit' }
  | { readonly at: 'rollback' }
  | { readonly at: 'progress' }
  | PeriodicPhase

/** The step of a periodic that comes next. */
export type PeriodicPhase =
  | { readonly at: 'periodic'; readonly name: string; readonly step: 'run' | 'notes' | 'trim' }
  | {
      readonly at: 'periodic'
      readonly name: string
      readonly step: 'recover'
      readonly failure: Failure
    }
  | {
      readonly at: 'periodic'
      readonly name: string
      readonly step: 'finish'
      /** Undefined when it did its work. */
      readonly problem?: string
    }

/** What one finished iteration leaves for the circuit breaker: equal values in a row mean that the loop is stuck. */
export type Trace = {
  /** The files, the commits or the notes are not what they were. */
  readonly changed: boolean
  readonly checks?: string
  readonly failure?: string
  readonly objection?: string
  /** The judge gave no verdict that can be read. */
  readonly unreadable?: true
  /** The failure, the checks or the objection in words. */
  readonly said?: string
  readonly iteration: number
  /** The worker's, at the end of the iteration. */
  readonly session?: string
}

/** A finished turn of the worker, as far as the next ones are foreseen from it. */
export type WorkerTurn = {
  /** Of the model. */
  readonly calls: number
  readonly tokens: Tokens
  /** Tokens of its largest request, and by how much that is larger than its first. */
  readonly peak: number
  readonly growth: number
  /** How long the provider caches what the agent sends. */
  readonly lifetime: '5m' | '1h'
  /** Milliseconds since the epoch. */
  readonly endedAt: number
}

/** What is known of the session in which a role goes on from turn to turn. */
export type RoleSession = {
  readonly id?: string
  /** Finished turns of the role in this session. */
  readonly turns: number
  /** Estimated request tokens that the session holds now; 0 when not known. */
  readonly tokens: number
  /** What the agent printed last as the cost of this session, in US dollars. */
  readonly costUsd: number
  /** The entries of the `KEEP` lines that were read last; undefined when there was no such line. */
  readonly keep?: readonly string[]
  /** The notes asked for a fork. */
  readonly reset: boolean
  /** What came of the trim after its last turn: `applied`, `spared` for its price, or why there was none; undefined before it. */
  readonly trim?: string
  /** What it has cost, in input tokens, to carry along what trims that were spared would have taken out. */
  readonly carried?: number
  /** When it was first sent as it was begun, or trimmed last: milliseconds since the epoch. */
  readonly headSentAt?: number
  /** The role has had another session on the same task before. */
  readonly followsAnother?: boolean
  /** It was handed over from an earlier cycle of a saga: its first prompt is not the present task. */
  readonly isHandedOver?: boolean
  /** What has become of the task since the first prompt of this session told it. */
  readonly taskChange?: { readonly since: string; readonly difference: string }
}

/** A run at one moment: nothing but its events, reduced. */
export type RunState = {
  readonly directives: Directives
  readonly phase: Phase
  /** The iteration under way, or the last one; 0 before the first. */
  readonly iteration: number
  /** Iterations before this loop began: those of the earlier cycles of a saga. */
  readonly iterationsBefore: number
  /** Starts of each role in this iteration, retries among them. */
  readonly attempts: Readonly<Record<string, number>>
  /** Of the worker, and of each periodic with `session: own`. */
  readonly sessions: Readonly<Record<string, RoleSession>>
  /** The worker's last turns, and the milliseconds between them. */
  readonly workerTurns: readonly WorkerTurn[]
  readonly workerPauses: readonly number[]
  /** A stale session has been left in this iteration, or by this periodic: a second failure is final. */
  readonly leftStale: boolean
  /** The session was trimmed harder in this iteration, or for this periodic, because the context was full. */
  readonly trimmedHarder: boolean
  /** Waits in a row for a provider that answers nothing. */
  readonly backoffs: number
  readonly waitUntil?: number
  /** When the wait began, or went on after a resume. */
  readonly waitingSince?: number
  /** `undefined` until notes have been read once. */
  readonly reminded: boolean
  /** The periodics that have run since the last iteration, and those among them that changed the project. */
  readonly periodicsRun: readonly string[]
  readonly periodicsChanged: readonly string[]
  readonly failures: readonly CheckFailure[]
  readonly feedback?: Feedback
  readonly unreadable: number
  readonly verdict?: Verdict
  /** What the checks or the judge said last is missing, never the worker (§2.1). */
  readonly left: readonly string[]
  readonly trace: Omit<Trace, 'changed' | 'iteration' | 'session'>
  readonly history: readonly Trace[]
  /** The newest fingerprint of the project. */
  readonly progress: string
  /** The commit up to which everything is in the events; `null` before the first one of the repository. */
  readonly commit?: string | null
  /** The worker's words for the next commit, and those that the last one has used up. */
  readonly commitWords?: CommitWords
  readonly usedCommitWords?: CommitWords
  /** What was taken back of the last iteration that failed. */
  readonly rolledBack?: { readonly iteration: number; readonly ref: string }
  /** Names of drift that have been told. */
  readonly drift: readonly string[]
  /** The task, or the goal of a saga, since a person changed it. */
  readonly task?: string
  /** The digest of a task file that is not taken for a person's. */
  readonly ignoredTask?: string
  /** Of the notes as the worker left them; undefined before its first turn. */
  readonly notesDigest?: string
  readonly notesChanged: boolean
  /** What a person has said that no turn of the worker has heard yet. */
  readonly said: readonly string[]
  /** The messages of the inbox that are in the events. */
  readonly heard: readonly string[]
  /** When a person paused the run. */
  readonly pausedSince?: number
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
  | {
      readonly do: 'run-periodic'
      readonly name: string
      readonly prompt: string
      readonly session: SessionUse
    }
  /** `role` is left out for the worker. */
  | { readonly do: 'read-notes'; readonly role?: Role }
  | {
      readonly do: 'trim'
      readonly role?: Role
      readonly session: string
      readonly keep: readonly string[]
      readonly harder: boolean
      /** When left out, it is worth its price whatever it comes to. */
      readonly foresight?: TrimForesight
    }
  | { readonly do: 'check'; readonly command: string }
  | { readonly do: 'wait'; readonly until: number }
  /** Until a person lifts the pause. */
  | { readonly do: 'pause' }
  | { readonly do: 'commit' }
  | { readonly do: 'roll-back' }
  | { readonly do: 'measure-progress' }
  | { readonly do: 'finish-periodic'; readonly name: string; readonly problem: string }
  | { readonly do: 'run-scoper'; readonly cycle: number }
  | {
      readonly do: 'start-cycle'
      readonly cycle: number
      readonly title: string
      /** The worker's session that goes on, or why it does not, although the scoper wants it to. */
      readonly handoff: { readonly session: string } | { readonly refused: string } | undefined
    }
  | {
      readonly do: 'finish-cycle'
      readonly cycle: CycleEnd
      /** HEAD before the cycle. */
      readonly commit: string | null
    }
  | { readonly do: 'log-cycle'; readonly cycle: number; readonly entry: string; readonly mark: string }
  | {
      readonly do: 'finish'
      readonly result: RunResult
      readonly reason: string
      readonly fix: string
      /** What ends: the loop on one task, after which a saga plans anew, or everything. */
      readonly ends: 'loop' | 'run'
    }

/** How a cycle of a saga ended. */
export type CycleEnd = Omit<NewEvent & { readonly type: 'cycle.finished' }, 'type' | 'commits'>
