import type { Drift } from '../drift/drift.ts'
import type { TrimReport } from '../transcript/report.ts'
import type { NamedSession } from './named-session.ts'

/** A part that an agent plays. Judge and scoper always run in a fresh session. */
export type Role = 'worker' | 'judge' | 'scoper' | `periodic:${string}`

/** A JSON Schema, as the CLIs and editors take it. */
export type JsonSchema = { readonly [key: string]: unknown }

/** How one start of an agent relates to a stored session. */
export type SessionUse =
  | { readonly kind: 'new' }
  | { readonly kind: 'resume'; readonly id: string }
  /** Nothing is stored: judge and scoper. */
  | { readonly kind: 'ephemeral' }

/** One start of an agent, in words that hold for every CLI. */
export type Invocation = {
  readonly role: Role
  readonly prompt: string
  /** Absolute path of the project. */
  readonly cwd: string
  readonly session: SessionUse
  readonly access: 'edit' | 'read-only'
  /** The answer must match this schema, where the CLI can be held to one. */
  readonly answer?: JsonSchema
  readonly model?: string
  readonly permissionMode?: string
  readonly allowedTools?: readonly string[]
  readonly extraArgs?: readonly string[]
  /** What this start may cost, in US dollars: the CLI is held to it, or ended after the answer that passes it, where it names the cost of each. */
  readonly budgetUsd?: number
}

/** What yoke finds out about an installed agent for a start; a role with read-only access reads no settings by itself. */
export type Installation = {
  /** The options and values that its help lists. Without them it is taken for the newest release. */
  readonly words?: ReadonlySet<string>
  /** The part of the user's settings that the role needs all the same. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
  /** The whole configuration of an agent that works in the project, where the start depends on it. */
  readonly configuration?: Readonly<Record<string, unknown>>
}

/** What the operating system is asked to start. The prompt goes in by `stdin`: an argument is limited to 128 KiB on Linux. */
export type CommandLine = {
  readonly file: string
  readonly args: readonly string[]
  readonly stdin: string
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>
}

/** Turns the command line of an agent into the one that starts it where it is to run: on the host, or in a container. */
export type Launch = (command: CommandLine, access?: Invocation['access']) => CommandLine

/** Where agents are started instead of on the host. */
export type Place = {
  readonly launch: Launch
  /** A failure of the place itself, in a sentence; undefined when the agent was started. */
  readonly failure: (ending: Ending) => string | undefined
  /** Ends what is left there of a start whose process on this machine was ended from outside. */
  readonly sweep: () => Promise<void>
}

/** Counts of tokens, as the provider bills them. */
export type Tokens = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** What answers of the model came to. */
export type Spent = { readonly costUsd: number; readonly tokens: Tokens }

/** What an agent reports while it runs. A line that yoke does not know becomes `unknown` and is counted, never an error. */
export type AgentEvent =
  | { readonly type: 'started'; readonly session: string; readonly model?: string; readonly version?: string }
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'thought' }
  /** `target` is the file, command or pattern that the tool works on, for people to read. */
  | { readonly type: 'tool-called'; readonly id: string; readonly tool: string; readonly target: string }
  /** `denied` says what was not permitted, for people. */
  | {
      readonly type: 'tool-returned'
      readonly id: string
      readonly failed: boolean
      readonly denied?: string
    }
  /** A subagent has ended that worked in a session of its own, whose answers are not reported. */
  | { readonly type: 'delegated'; readonly session: string }
  /** Work that goes on beside the conversation, also beyond its result: a subagent is waited for, a command is not. */
  | {
      readonly type: 'background-started'
      readonly id: string
      readonly kind: 'agent' | 'command'
      readonly target: string
    }
  | { readonly type: 'background-ended'; readonly id: string }
  /** Usage of one answer of the model; its cost in USD and why it ended, where the CLI says so. */
  | {
      readonly type: 'usage'
      readonly message: string
      readonly tokens: Tokens
      /** What was written to the provider's cache stays there for an hour, not five minutes. */
      readonly isCachedForAnHour?: true
      readonly costUsd?: number
      readonly finish?: string
      /** The agent asks the model again; its tools have ended. */
      readonly goesOn?: boolean
    }
  | {
      readonly type: 'retrying'
      readonly attempt: number
      /** 0 where the CLI retries for ever. */
      readonly of: number
      /** 0 where the CLI does not say. */
      readonly delayMs: number
      readonly cause: string
    }
  /** The CLI reports a failed request as if the model had said so. */
  | {
      readonly type: 'request-failed'
      readonly error: string
      readonly text: string
      /** The HTTP status, where the CLI tells it apart. */
      readonly status?: number
    }
  | { readonly type: 'limit'; readonly resetsAt?: number; readonly text: string }
  /** The CLI says that lines of its session could not be stored, and why. */
  | { readonly type: 'session-lost'; readonly cause: string }
  /** The session to be resumed is not there: nothing more is to come, also where the CLI does not exit. */
  | { readonly type: 'session-unknown' }
  /** Something that the user has chosen is not there, and the CLI would go on with another choice: it is ended at once. */
  | { readonly type: 'choice-unknown'; readonly text: string }
  | { readonly type: 'result'; readonly result: AgentResult }
  | { readonly type: 'unknown'; readonly name: string }

/** The last word of a CLI on one run, before it is classified. */
export type AgentResult = {
  readonly subtype: string
  readonly isError: boolean
  readonly terminalReason?: string
  readonly apiStatus?: number
  readonly session?: string
  readonly turns: number
  readonly durationMs: number
  /** USD, as printed: per run or cumulative over resumes, depending on the release. */
  readonly costUsd: number
  readonly tokens: Tokens
  readonly text: string
  readonly errors: readonly string[]
  readonly denials: readonly string[]
  readonly answer?: unknown
}

export type OutcomeClass =
  | 'ok'
  | 'stale-session'
  | 'rejected-history'
  | 'rate-limit'
  | 'overloaded'
  | 'context-full'
  | 'auth'
  | 'billing'
  | 'bad-config'
  | 'max-turns'
  | 'budget'
  | 'permission'
  | 'crash'
  | 'killed'
  | 'timeout'
  | 'no-transcript'

/** How the process ended, with everything that the classifier may look at. */
export type Ending = {
  readonly exit: number | null
  readonly signal: string | null
  /** Why yoke itself ended the process, if it did. */
  readonly endedBy?: 'iteration-timeout' | 'idle-timeout' | 'budget' | 'abort' | 'grace'
  readonly results: readonly AgentResult[]
  readonly requestErrors: readonly {
    readonly error: string
    readonly text: string
    readonly status?: number
  }[]
  /** For a CLI that prints no result: what the answers of the model add up to. */
  readonly answers?: Answers
  readonly limit?: { readonly resetsAt?: number; readonly text: string }
  /** Why lines of the session could not be stored, where the CLI says so. */
  readonly sessionLost?: string
  /** The cause of the last retry, when no answer of the model came after it. */
  readonly retrying?: string
  /** The last 4 KiB. */
  readonly stderr: string
  /** Milliseconds since the epoch: reset times that the CLI names are read against it. */
  readonly endedAt: number
  /** The machine's IANA time zone, for reset times without one. */
  readonly timeZone: string
}

/** What the events of one start say, all answers of the model together. */
export type Answers = {
  readonly count: number
  readonly tokens: Tokens
  readonly costUsd: number
  /** The last text. */
  readonly said: string
  /** Why the last answer ended; undefined when a request failed after it. */
  readonly finish?: string
  readonly denials: readonly string[]
}

/** What one start of an agent came to. */
export type Outcome = {
  readonly class: OutcomeClass
  readonly session?: string
  /** The agent's last answer. */
  readonly text: string
  readonly answer?: unknown
  readonly costUsd: number
  /** It was cut off before it named a cost: `tokens` are those of the answers that it got, `costUsd` is 0. */
  readonly isUnpriced?: true
  readonly tokens: Tokens
  readonly turns: number
  readonly denials: readonly string[]
  /** Milliseconds since the epoch, where the CLI names it. */
  readonly resetsAt?: number
  /** One line that shows why it was classified so; empty when `ok`. */
  readonly evidence: string
}

/** What a resumed session lacks after a turn: what the turn added (`no-transcript`), or what was there before (`stale-session`). */
export type SessionLoss = {
  readonly class: 'no-transcript' | 'stale-session'
  readonly evidence: string
}

/** The port to a coding-agent CLI. Every synchronous function is pure, so that vectors can test it. */
export type Agent = {
  /** Also the name of its program on PATH. */
  readonly name: string
  /** The command that installs it, for people who have not. */
  readonly install: string
  /** Programs of which it needs one to run commands; without them it runs its commands by whatever shell there is. */
  readonly shells?: readonly string[]
  /** The command that logs in, for people who have not. */
  readonly login: string
  /** Undefined when the agent does not say. */
  readonly isLoggedIn: (
    file: string,
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<boolean | undefined>
  /** What is wrong with the installed release when no run can work with it, in a sentence. */
  readonly brokenRelease?: (
    file: string,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<string | undefined>
  /** Leaves out of the environment what marks an inherited agent session. Throws `E_AGENT_ARGS`, `E_AGENT_CONFIG`. */
  readonly commandLine: (
    file: string,
    invocation: Invocation,
    env: Readonly<Record<string, string | undefined>>,
    installation?: Installation,
  ) => CommandLine
  /**
   * Never fails: what cannot be found out is left out. In an image the agent's home is the project's own: what the worker writes
   * there must not decide how the judge is started. What the start does not depend on is not asked for.
   */
  readonly inspect: (
    file: string,
    env: Readonly<Record<string, string | undefined>>,
    launch: Launch,
    home: 'of-user' | 'of-project',
    invocation: Invocation,
  ) => Promise<Installation>
  /** One line of the agent's output; several events, because one line may hold several blocks. */
  readonly parseLine: (line: string) => readonly AgentEvent[]
  /** One line of its standard error, for a CLI that reports there what its events leave out. */
  readonly parseErrorLine?: (line: string) => readonly AgentEvent[]
  /** For a CLI that would hang for ever: the silence after which it is ended when the user sets no `idle-timeout`. */
  readonly patience?: {
    readonly silenceMs: number
    /** The same while it retries a failed request. */
    readonly retryingMs: number
  }
  readonly classify: (ending: Ending, invocation: Invocation) => Outcome
  /** Whether this release prints the cost of all runs of a session so far, and not of this run alone. */
  readonly printsSessionCost: (version: string) => boolean
  /** It goes on with a session in the folder that the session began in, also when it is started in another one. */
  readonly bindsSessions?: true
  /** What sessions of subagents have spent since a time, in milliseconds since the epoch. */
  readonly spentBy?: (
    cli: {
      readonly program: string
      readonly cwd: string
      readonly env: Readonly<Record<string, string | undefined>>
      readonly launch: Launch
    },
    sessions: readonly string[],
    since: number,
  ) => Promise<Spent>
  /** Absolute path of the stored session, or undefined when there is none. */
  readonly findSession: (
    id: string,
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<string | undefined>
  /**
   * Looks at a stored session before it goes on; the answer says afterwards what went wrong with it, if anything did.
   */
  readonly watchSession?: (
    id: string,
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<() => Promise<SessionLoss | undefined>>
  /**
   * Why a stored session does not begin any more with a prompt that holds these words, in a sentence, where its agent would go on with what
   * is left of it; undefined when it does, and when it cannot be told.
   */
  readonly lostBeginning?: (
    id: string,
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
    opening: string,
  ) => Promise<string | undefined>
  /** Moves a session that cannot go on to `target`, so that nothing takes it for a good one; for agents with a file each. */
  readonly setAside?: (
    id: string,
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
    target: string,
  ) => Promise<void>
  /**
   * Goes through a stored session as `trimSession` will, and writes nothing; ends at the signal. For agents whose sessions yoke
   * reads itself.
   */
  readonly rehearseTrim?: (request: TrimRehearsal, signal: AbortSignal) => Promise<void>
  /** Cuts a stored session down to `keep`; never throws for what is wrong with the session. */
  readonly trimSession: (request: SessionTrim) => Promise<SessionTrimmed>
  /** Ids of the sessions of a project, the newest first, as far as they are told at once. */
  readonly listSessions: (
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<readonly string[]>
  /** Whether this names one of its sessions: an id, or a file. The agent without it takes what no other does. */
  readonly ownsSession?: (named: string, cwd: string) => Promise<boolean>
  /** Opens a session by its id, the beginning of one, or a file. Throws `E_NO_SESSION` (exit 2). */
  readonly openSession: (
    named: string,
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<NamedSession>
  /** The command line that goes on with a session, for people. */
  readonly goOnCommand: (id: string) => string
}

export type SessionTrimmed = {
  /** What yoke does not know of the format of the session, where the agent's are compared with known ones. */
  readonly drift?: Drift
  /** Sessions that trims have made or left behind and that are not deleted, because somebody has gone on with them. */
  readonly left?: readonly string[]
} & SessionTrimResult

type SessionTrimResult =
  | {
      readonly status: 'applied' | 'planned' | 'unchanged'
      readonly report: TrimReport
      /** The id of the trimmed session, where it has a new one; the old session is still there. */
      readonly newSession?: string
    }
  /** The session is as it was. */
  | { readonly status: 'refused'; readonly code: string; readonly reason: string }

export type TrimRehearsal = Pick<SessionTrim, 'file' | 'keep' | 'cwd' | 'staleReads' | 'env'>

export type SessionTrim = {
  /** The program of the agent, and where it is started: on the host when left out. */
  readonly program: string
  readonly launch?: Launch
  readonly session: string
  /** Absolute path of the stored session. */
  readonly file: string
  /** The entries of the `KEEP` lines. */
  readonly keep: readonly string[]
  /** Absolute path of the project. */
  readonly cwd: string
  readonly staleReads: 'refresh' | 'drop'
  /** `strict`: refuse a session that holds anything unknown; `normal` when left out. */
  readonly drift?: 'normal' | 'strict'
  /**
   * The session is one of a run: what it was trimmed from has been left for it, and an earlier trim of it can only have been cut
   * off, so that nobody goes on with what that made.
   */
  readonly isOfRun?: boolean
  /** Keep less: the provider said that the context is full. */
  readonly harder: boolean
  /** Says why the session is to be left as it is, once it is known what the trim comes to. */
  readonly decline?: (report: TrimReport) => string | undefined
  /** Write nothing. */
  readonly dryRun?: boolean
  /** Write the trimmed session to this new file, and leave the session as it is. */
  readonly out?: string
  /** Where the session is copied to before it is changed. */
  readonly backup: string
  readonly env: Readonly<Record<string, string | undefined>>
}
