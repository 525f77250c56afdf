import * as v from 'valibot'
import { type RunEvent, RunEventSchema } from '../../events.ts'
import { commitMessage } from '../../loop/checkpoint.ts'
import { exitCodeOf } from '../../loop/finish.ts'
import type { Now } from '../../loop/next.ts'
import { judgePrompt } from '../../loop/prompts.ts'
import { initialState, reduce } from '../../loop/reduce.ts'
import { goalOf, nextRunStep } from '../../loop/run.ts'
import type { RunState, Step } from '../../loop/state.ts'
import { noTokens } from '../../loop/tokens.ts'
import { trimLoss } from '../../loop/trim-worth.ts'
import { DirectivesSchema } from '../../task/directives.ts'
import { area } from '../area.ts'

const EventSchema = v.looseObject({
  type: v.string(),
  /** Milliseconds since the run started; one second after the event before when it is left out. */
  at: v.exactOptional(v.number()),
})

const InputSchema = v.strictObject({
  /** As in front matter; the rest have their defaults. */
  directives: v.record(v.string(), v.unknown()),
  /** What has happened since `run.started`; fields that change no decision may be left out. */
  events: v.array(EventSchema),
  /** Milliseconds since the run started; the time of the last event when it is left out. */
  now: v.exactOptional(v.number()),
  /** In [0, 1): lengthens a wait by up to a quarter. */
  jitter: v.exactOptional(v.number(), 0),
  /** The prompt of the task. */
  task: v.exactOptional(v.string(), 'Do it.'),
  /** Of a run that works beside others: what they have spent, and until when one of them waits for a usage limit. */
  others: v.exactOptional(v.strictObject({ costUsd: v.number(), waitUntil: v.exactOptional(v.number()) })),
  /** What a trim would leave, to be weighed against what it saves: tokens, and files. */
  price: v.exactOptional(
    v.strictObject({ before: v.number(), after: v.number(), head: v.number(), reads: v.number() }),
  ),
  /** Texts that a prompt may have or not. */
  look: v.exactOptional(v.array(v.string()), []),
})

const StepSchema = v.strictObject({
  do: v.picklist([
    'start-iteration',
    'run-worker',
    'read-notes',
    'trim',
    'skip-trim',
    'check',
    'run-judge',
    'record-verdict',
    'commit',
    'roll-back',
    'measure-progress',
    'leave-stale-session',
    'fork',
    'begin-wait',
    'wait',
    'pause',
    'finish',
  ]),
  iteration: v.exactOptional(v.number()),
  /** Null: the worker begins a fresh session. */
  session: v.exactOptional(v.nullable(v.string())),
  keep: v.exactOptional(v.array(v.string())),
  harder: v.exactOptional(v.boolean()),
  command: v.exactOptional(v.string()),
  verdict: v.exactOptional(v.string()),
  /** The first line of a commit's message. */
  subject: v.exactOptional(v.string()),
  /** Milliseconds since the run started. */
  until: v.exactOptional(v.number()),
  result: v.exactOptional(v.string()),
  exitCode: v.exactOptional(v.number()),
  /** The texts of `look` that the prompt has. */
  mentions: v.exactOptional(v.array(v.string())),
})

/** The next step of a run, from its events alone (§3). */
export const brute = area(InputSchema, StepSchema, (input) => {
  let last = 0
  const events = input.events.map((event) => {
    last = event.at ?? last + 1000
    return whole(event, last)
  })
  const directives = v.parse(DirectivesSchema, input.directives)
  const state = events.reduce(reduce, initialState(directives, 'p0', 0))
  const step = nextRunStep(
    { loop: state },
    { time: input.now ?? last, jitter: input.jitter, task: input.task, ...othersOf(input) },
  )
  return described(step, state, { ...input, task: goalOf({ loop: state }, input.task) })
})

const othersOf = ({ others }: v.InferOutput<typeof InputSchema>): Pick<Now, 'others'> =>
  others === undefined
    ? {}
    : {
        others: {
          costUsd: others.costUsd,
          working: 1,
          ...(others.waitUntil === undefined ? {} : { wait: { until: others.waitUntil, reason: 'limit' } }),
        },
      }

/** What a case may leave out of an event. */
const blanks: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'run.resumed': { yoke: '', directives: {} },
  'agent.started': { role: 'worker', attempt: 1, pid: 1, pidStart: '' },
  'session.opened': { role: 'worker' },
  'agent.finished': {
    role: 'worker',
    costUsd: 0,
    printedCostUsd: 0,
    tokens: noTokens,
    turns: 1,
    durationMs: 0,
    denials: [],
    unknownEvents: {},
    evidence: '',
  },
  'session.stale': { reason: '' },
  'session.forked': { reason: '' },
  'notes.read': { reset: false, digest: '' },
  'trim.applied': {
    kept: [],
    tokensBefore: 0,
    tokensAfter: 0,
    bytesBefore: 0,
    bytesAfter: 0,
    refreshed: [],
    dropped: [],
    unmatched: [],
    durationMs: 0,
  },
  'trim.skipped': { reason: '' },
  'trim.refused': { code: '', reason: '' },
  'check.passed': { durationMs: 0 },
  'check.failed': { exit: 1, output: '', durationMs: 0 },
  'commit.made': { from: 'c0', commit: 'c1', subject: '', files: 1, insertions: 1, deletions: 0 },
  'commit.skipped': { reason: '' },
  'rollback.done': { commit: 'c2', files: 1, insertions: 1, deletions: 0 },
  'rollback.skipped': { reason: '' },
  'judge.verdict': { reasons: [], next: '' },
  'judge.unreadable': { attempt: 1, text: '' },
  'task.changed': { since: '', difference: '' },
  'task.ignored': { digest: '', difference: '' },
  'notes.changed': { reset: false, digest: '' },
  'wait.started': { reason: '', class: 'rate-limit' },
}

const whole = (event: v.InferOutput<typeof EventSchema>, at: number): RunEvent =>
  v.parse(RunEventSchema, {
    iteration: 1,
    ...blanks[event.type],
    ...event,
    at: new Date(at).toISOString(),
    run: 'run',
  })

const described = (
  step: Step,
  state: RunState,
  { task, look, price }: v.InferOutput<typeof InputSchema>,
): v.InferOutput<typeof StepSchema> => {
  const mentions = (prompt: string) => look.filter((text) => prompt.includes(text))
  switch (step.do) {
    case 'record':
      return describedEvent(step)
    case 'run-worker':
      return { do: step.do, session: step.session ?? null, mentions: mentions(step.prompt) }
    case 'run-judge':
      return { do: step.do, mentions: mentions(judgePrompt(task)) }
    case 'trim':
      if (step.foresight && price && trimLoss(step.foresight, price) !== undefined) return { do: 'skip-trim' }
      return { do: step.do, session: step.session, keep: [...step.keep], harder: step.harder }
    case 'check':
      return { do: step.do, command: step.command }
    case 'wait':
      return { do: step.do, until: step.until }
    case 'finish':
      return { do: step.do, result: step.result, exitCode: exitCodeOf(step.result) }
    case 'pause':
    case 'read-notes':
    case 'measure-progress':
    case 'roll-back':
      return { do: step.do }
    case 'commit':
      return { do: step.do, subject: commitMessage(state, { run: 'run', task }).subject }
    default:
      throw new Error(`the next step is ${step.do}, which no case describes`)
  }
}

/** A decision that is carried out by writing it down. */
const describedEvent = ({ event }: Step & { do: 'record' }): v.InferOutput<typeof StepSchema> => {
  switch (event.type) {
    case 'iteration.started':
      return { do: 'start-iteration', iteration: event.iteration, session: event.session ?? null }
    case 'trim.skipped':
      return { do: 'skip-trim' }
    case 'judge.verdict':
      return { do: 'record-verdict', verdict: event.verdict }
    case 'session.stale':
      return { do: 'leave-stale-session', session: event.session }
    case 'session.forked':
      return { do: 'fork', session: event.session }
    case 'wait.started':
      return { do: 'begin-wait', until: event.until }
    default:
      throw new Error(`a step records ${event.type}, which no case describes`)
  }
}
