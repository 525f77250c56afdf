import * as v from 'valibot'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const text = v.string()

export const TokensSchema = v.object({ input: count, output: count, cacheRead: count, cacheWrite: count })

const RoleSchema = v.custom<'worker' | 'judge' | 'scoper' | `periodic:${string}`>(
  (value) => typeof value === 'string' && /^(worker|judge|scoper|periodic:.+)$/.test(value),
  'expected a role',
)

/** The judge's answer. A model leaves out what it has nothing to say about. */
export const VerdictSchema = v.object({
  verdict: v.picklist(['done', 'continue', 'blocked']),
  reasons: v.optional(v.array(text), []),
  next: v.optional(text, ''),
})

/** The scoper's answer. With `done` and `blocked`, `plan` says why. */
export const PlanSchema = v.object({
  status: v.picklist(['plan', 'done', 'blocked']),
  title: v.optional(text, ''),
  plan: v.optional(text, ''),
  handoff: v.optional(v.picklist(['fresh', 'keep']), 'fresh'),
})

/** Why a run ended. Each maps to one exit code (see `loop/finish.ts`). */
export const RunResultSchema = v.picklist([
  'done',
  'failed',
  'limit',
  'blocked',
  'agent-failing',
  'interrupted',
  'terminated',
])

const stamp = { at: v.pipe(text, v.isoTimestamp()), run: text }

/** The role whose session or notes an event is about, where it is not the worker. */
const other = { role: v.optional(RoleSchema) }

const DiffSize = { files: count, insertions: count, deletions: count }

/** The name of the message in the run's inbox that an event comes from. */
const fromInbox = { inbox: v.optional(text) }

const event = <const T extends string, E extends v.ObjectEntries>(type: T, entries: E) =>
  v.object({ type: v.literal(type), ...stamp, ...entries })

/**
 * Everything that happens in a run, one JSON object a line in `events.jsonl` and on standard output with `--json`.
 * The state of a run is nothing but these events, reduced (`loop/reduce.ts`).
 */
export const RunEventSchema = v.variant('type', [
  event('run.started', {
    /** A loop on one task, or loops on one plan after another. */
    kind: v.optional(v.picklist(['brute', 'saga']), 'brute'),
    yoke: text,
    /** Of the files of the run (`system/file-format.ts`). */
    format: v.optional(count),
    task: text,
    cwd: text,
    agent: text,
    agentFile: text,
    /** The fingerprint of the project before the first iteration. */
    progress: text,
    /** Where commits are made: HEAD, `null` before the first commit. */
    commit: v.optional(v.nullable(text)),
    directives: v.record(text, v.unknown()),
  }),
  event('run.resumed', {
    yoke: text,
    format: v.optional(count),
    /** HEAD, where it may have moved while the run was stopped. */
    commit: v.optional(v.nullable(text)),
    /** The folder of the project now. */
    cwd: v.optional(text),
    /** The folder that it had before, where the agent would go on working: no role goes on with its session. */
    movedFrom: v.optional(text),
    directives: v.record(text, v.unknown()),
  }),
  event('run.stopping', { ...fromInbox, signal: text }),
  event('run.paused', fromInbox),
  event('run.continued', fromInbox),
  /** A line of a person's for the worker's next prompt. */
  event('person.said', { ...fromInbox, text }),
  event('task.changed', {
    ...fromInbox,
    /** The whole prompt as it is now. */
    prompt: text,
    /** The prompt that the worker's session began with. */
    since: text,
    /** From that one to the new one; empty when it is the same again. */
    difference: text,
  }),
  /** The task file was changed while the worker or what it wrote ran: it may be the worker's doing, so the task stays. */
  event('task.ignored', { digest: text, difference: text }),
  /** The notes were changed since the worker's last turn, not by it. */
  event('notes.changed', { reset: v.boolean(), digest: text }),
  event('iteration.started', { iteration: count, session: v.optional(text) }),
  event('agent.started', {
    iteration: count,
    role: RoleSchema,
    attempt: count,
    pid: count,
    /** Tells a reused pid from the same process; empty where the system does not say. */
    pidStart: text,
    session: v.optional(text),
  }),
  event('session.opened', { role: RoleSchema, session: text, version: v.optional(text) }),
  event('agent.finished', {
    iteration: count,
    role: RoleSchema,
    class: text,
    session: v.optional(text),
    /** Of this start alone, in US dollars. */
    costUsd: v.number(),
    /** As the agent printed it: of this start, or of all starts in its session. */
    printedCostUsd: v.number(),
    tokens: TokensSchema,
    /** What the provider counted for the first and the largest request: the context of this start of the agent. */
    context: v.optional(
      v.object({
        first: count,
        peak: count,
        /** Calls of the model, those of subagents aside. */
        calls: v.optional(count),
        /** How long the provider caches what was sent; five minutes where the agent does not say. */
        lifetime: v.optional(v.picklist(['5m', '1h'])),
      }),
    ),
    turns: count,
    durationMs: v.number(),
    denials: v.array(text),
    resetsAt: v.optional(v.number()),
    unknownEvents: v.record(text, count),
    evidence: text,
  }),
  /** An agent that was cut off together with its yoke, or by it: what its answers cost is not lost. */
  event('agent.lost', {
    iteration: count,
    role: RoleSchema,
    session: v.optional(text),
    costUsd: v.number(),
    printedCostUsd: v.number(),
    tokens: TokensSchema,
  }),
  event('session.stale', { ...other, session: text, reason: text }),
  event('session.forked', { ...other, session: text, reason: text }),
  event('notes.read', {
    ...other,
    keep: v.nullable(v.array(text)),
    reset: v.boolean(),
    digest: text,
    /** What the worker says for the next commit. */
    commit: v.optional(v.object({ subject: text, body: text })),
  }),
  event('trim.applied', {
    ...other,
    session: text,
    /** Where the trimmed session has an id of its own, the run goes on with that one. */
    newSession: v.optional(text),
    kept: v.array(text),
    tokensBefore: count,
    tokensAfter: count,
    bytesBefore: count,
    bytesAfter: count,
    refreshed: v.array(text),
    dropped: v.array(v.object({ path: text, reason: text })),
    unmatched: v.array(text),
    durationMs: v.number(),
  }),
  event('trim.skipped', {
    ...other,
    session: v.optional(text),
    reason: text,
    /** Where it was spared because it would cost more than it saves: what it would have come to. */
    tokensBefore: v.optional(count),
    tokensAfter: v.optional(count),
  }),
  event('trim.refused', { ...other, session: text, code: text, reason: text }),
  /** What yoke does not know of the agent's sessions or events; each name is told once a run. */
  event('drift.found', {
    where: v.picklist(['session', 'stream']),
    /** `breaking`: the session is not trimmed. */
    verdict: v.picklist(['additive', 'breaking']),
    session: v.optional(text),
    /** The releases that wrote the session. */
    versions: v.array(text),
    names: v.array(text),
    /** A sentence a name. */
    details: v.array(text),
  }),
  event('check.passed', { iteration: count, command: text, durationMs: v.number() }),
  event('check.failed', {
    iteration: count,
    command: text,
    exit: v.nullable(v.number()),
    output: text,
    durationMs: v.number(),
  }),
  event('judge.verdict', { iteration: count, ...VerdictSchema.entries }),
  event('judge.unreadable', { iteration: count, attempt: count, text }),
  /** HEAD has moved since the last commit that is known, by a commit of yoke's or of the worker's own. */
  event('commit.made', {
    iteration: count,
    from: v.nullable(text),
    commit: text,
    subject: text,
    ...DiffSize,
  }),
  event('commit.skipped', { iteration: count, reason: text }),
  /** What a failed iteration changed is taken back, and stands under `ref`. */
  event('rollback.done', { iteration: count, ref: text, commit: text, ...DiffSize }),
  event('rollback.skipped', { iteration: count, reason: text }),
  event('cycle.planned', { cycle: count, ...PlanSchema.entries }),
  event('scoper.unreadable', { cycle: count, attempt: count, text }),
  event('cycle.started', {
    cycle: count,
    title: text,
    /** `keep`: the worker's session goes on. */
    handoff: v.picklist(['fresh', 'keep']),
    /** HEAD, where there is git. */
    commit: v.nullable(text),
  }),
  event('cycle.finished', {
    cycle: count,
    title: text,
    result: RunResultSchema,
    reason: text,
    /** What the judge or the checks said last. */
    left: v.array(text),
    iterations: count,
    /** With what the scoper and the periodics cost. */
    costUsd: v.number(),
    /** HEAD before and after. */
    commits: v.nullable(v.object({ from: text, to: text })),
  }),
  event('cycle.logged', { cycle: count }),
  event('wait.started', { reason: text, class: text, until: v.number() }),
  event('wait.finished', { waitedMs: v.number() }),
  event('warning', { code: text, message: text }),
  event('periodic.started', { iteration: count, name: text }),
  event('periodic.finished', {
    iteration: count,
    name: text,
    /** Why it failed; empty when it did its work. */
    problem: text,
    progress: text,
  }),
  event('iteration.finished', { iteration: count, progress: text }),
  event('run.finished', {
    result: RunResultSchema,
    reason: text,
    fix: text,
    exitCode: count,
    iterations: count,
    costUsd: v.number(),
    tokens: TokensSchema,
    durationMs: v.number(),
  }),
])

export type RunEvent = v.InferOutput<typeof RunEventSchema>
export type Verdict = v.InferOutput<typeof VerdictSchema>
export type Plan = v.InferOutput<typeof PlanSchema>
export type RunResult = v.InferOutput<typeof RunResultSchema>

/** An event before it is stamped with time and run. */
export type NewEvent = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at' | 'run'> : never) : never

/** What is shown while it happens, and is not kept in `events.jsonl`: the agent's own stream in `iterations/<n>/` has it. */
export type Activity =
  | { readonly type: 'agent.said'; readonly role: string; readonly text: string }
  | { readonly type: 'agent.tool'; readonly role: string; readonly tool: string; readonly target: string }
  | {
      readonly type: 'agent.usage'
      readonly role: string
      readonly tokens: v.InferOutput<typeof TokensSchema>
    }
  | {
      readonly type: 'agent.retrying'
      readonly role: string
      readonly attempt: number
      readonly of: number
      readonly delayMs: number
      readonly cause: string
    }
  /** Once a minute of a wait. */
  | { readonly type: 'wait.left'; readonly until: number; readonly leftMs: number }
