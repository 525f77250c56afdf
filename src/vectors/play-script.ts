import * as v from 'valibot'
import type { Role } from '../agents/agent.ts'
import type { NewEvent, RunEvent } from '../events.ts'
import { exitCodeOf } from '../loop/finish.ts'
import { judgePrompt } from '../loop/prompts.ts'
import { endsIteration, isOrdinary } from '../loop/recovery.ts'
import { initialRun, nextRunStep, type Run, reduceRun, taskOf } from '../loop/run.ts'
import { unlessWorker } from '../loop/session.ts'
import type { Step } from '../loop/state.ts'
import { noTokens } from '../loop/tokens.ts'
import { DirectivesSchema } from '../task/directives.ts'
import type { Outcome, Turn } from './script.ts'

export type Script = {
  readonly kind: 'brute' | 'saga'
  readonly directives: Readonly<Record<string, unknown>>
  readonly script: readonly Outcome[]
}

/** An event, and with the start of an agent its prompt, as far as the loop writes it. */
export type Played = { readonly event: RunEvent; readonly prompt?: string }

const goal = 'Do it.'

/** The events of a run that goes as the script says, one second apart, up to where a step wants more than the script has. */
export const playScript = ({ kind, directives, script }: Script): readonly Played[] => {
  const rest = [...script]
  const world = scriptedWorld(rest)
  const events: RunEvent[] = []
  const played: Played[] = []
  let given = directives
  let time = 0
  const run = (): Run => events.reduce(reduceRun, initialRun(v.parse(DirectivesSchema, given), 'p0', 0))
  const record = (event: NewEvent, prompt?: string): void => {
    time += 1000
    const stamped = { ...event, at: new Date(time).toISOString(), run: 'run' } as RunEvent
    events.push(stamped)
    played.push({
      event: stamped,
      ...(event.type === 'agent.started' && prompt !== undefined ? { prompt } : {}),
    })
  }
  record(begin(kind))
  for (;;) {
    const [next] = rest
    const now = run()
    const hasEnded = now.loop.finished !== undefined
    if (next !== undefined && ('signal' in next || 'kill' in next || ('resume' in next && hasEnded))) {
      rest.shift()
      if ('kill' in next) given = { ...given, ...next.kill }
      if ('resume' in next) given = { ...given, ...next.resume }
      record(
        'signal' in next
          ? { type: 'run.stopping', signal: next.signal }
          : { type: 'run.resumed', yoke: '', directives: {} },
      )
    } else if (hasEnded) {
      if (next === undefined) return played
      throw new Error('the script goes on behind the end of the run')
    } else {
      const step = nextRunStep(now, { time, jitter: 0, task: goal })
      if (step.do === 'wait') time = Math.max(time, step.until)
      const came = world(step, now)
      if (came === undefined) return played
      for (const event of came) record(event, promptOf(step, now))
    }
  }
}

const promptOf = (step: Step, run: Run): string | undefined => {
  if (step.do === 'run-judge') return judgePrompt(taskOf(run, goal))
  return step.do === 'run-worker' || step.do === 'run-periodic' ? step.prompt : undefined
}

/** What a step comes to; undefined when it starts an agent and the script has no more turns. */
const scriptedWorld = (rest: Outcome[]) => {
  const fresh = new Map<string, number>()
  let last: Turn | undefined
  let changes = 0
  const progress = () => `p${changes}`
  const agent = (
    role: Role,
    iteration: number,
    session: { readonly kind: 'new' | 'ephemeral' } | { readonly kind: 'resume'; readonly id: string },
    then: (turn: Turn) => readonly NewEvent[] = () => [],
  ): readonly NewEvent[] | undefined => {
    const turn = rest.shift()
    if (turn === undefined) return undefined
    if (!('role' in turn) || turn.role !== role)
      throw new Error(`${role} has its turn, and the script has ${JSON.stringify(turn)}`)
    last = turn
    if (session.kind === 'new') fresh.set(role, (fresh.get(role) ?? 0) + 1)
    const named = session.kind === 'resume' ? session.id : `${role}#${fresh.get(role) ?? 0}`
    const known = session.kind === 'ephemeral' ? {} : { session: named }
    if (turn.changes && isOrdinary(turn.class) && session.kind !== 'ephemeral') changes += 1
    return [
      {
        type: 'agent.started',
        iteration,
        role,
        attempt: 1,
        pid: 1,
        pidStart: '',
        ...(session.kind === 'resume' ? known : {}),
      },
      ...(session.kind === 'new' ? [{ type: 'session.opened', role, session: named } as const] : []),
      finished(turn, role, iteration, known),
      ...(isOrdinary(turn.class) || endsIteration(turn.class) ? then(turn) : []),
    ]
  }
  return (step: Step, { loop, saga }: Run): readonly NewEvent[] | undefined => {
    const { iteration } = loop
    switch (step.do) {
      case 'record':
        return [step.event]
      case 'run-worker': {
        const { session: id } = step
        return agent('worker', iteration, id === undefined ? { kind: 'new' } : { kind: 'resume', id })
      }
      case 'run-periodic':
        return agent(`periodic:${step.name}`, iteration, step.session)
      case 'read-notes':
        return [notesRead(step.role ?? 'worker', last)]
      case 'trim':
        return [trimmed(step, last?.trim ?? 0)]
      case 'check':
        return [{ type: 'check.passed', iteration, command: step.command, durationMs: 0 }]
      case 'run-judge':
        return agent('judge', iteration, { kind: 'ephemeral' }, ({ verdict, reasons }) => [
          verdict === null
            ? { type: 'judge.unreadable', iteration, attempt: loop.unreadable + 1, text: '' }
            : { type: 'judge.verdict', iteration, verdict, reasons, next: '' },
        ])
      case 'run-scoper':
        return agent('scoper', iteration, { kind: 'ephemeral' }, ({ plan }) => [
          plan === null || (plan.status === 'plan' && plan.plan.trim() === '')
            ? { type: 'scoper.unreadable', cycle: step.cycle, attempt: (saga?.unreadable ?? 0) + 1, text: '' }
            : { type: 'cycle.planned', cycle: step.cycle, ...plan },
        ])
      case 'commit':
        return [{ type: 'commit.skipped', iteration, reason: '' }]
      case 'roll-back':
        return [{ type: 'rollback.skipped', iteration, reason: '' }]
      case 'measure-progress':
        return [{ type: 'iteration.finished', iteration, progress: progress() }]
      case 'finish-periodic':
        return [
          {
            type: 'periodic.finished',
            iteration,
            name: step.name,
            problem: step.problem,
            progress: progress(),
          },
        ]
      case 'start-cycle':
        return cycleStarted(step)
      case 'finish-cycle':
        return [{ type: 'cycle.finished', ...step.cycle, left: [...step.cycle.left], commits: null }]
      case 'log-cycle':
        return [{ type: 'cycle.logged', cycle: step.cycle }]
      // Nobody is there to pause a script.
      case 'pause':
        return undefined
      case 'wait':
        return [{ type: 'wait.finished', waitedMs: 0 }]
      case 'finish':
        return [
          {
            type: 'run.finished',
            result: step.result,
            reason: step.reason,
            fix: step.fix,
            exitCode: exitCodeOf(step.result),
            iterations: iteration,
            costUsd: loop.costUsd,
            tokens: loop.tokens,
            durationMs: 0,
          },
        ]
    }
  }
}

const begin = (kind: 'brute' | 'saga'): NewEvent => ({
  type: 'run.started',
  kind,
  yoke: '',
  task: '',
  cwd: '',
  agent: 'claude',
  agentFile: '',
  progress: 'p0',
  directives: {},
})

const finished = (
  turn: Turn,
  role: Role,
  iteration: number,
  session: { readonly session?: string },
): NewEvent => ({
  type: 'agent.finished',
  iteration,
  role,
  class: turn.class,
  ...session,
  costUsd: turn.costUsd,
  printedCostUsd: turn.costUsd,
  tokens: noTokens,
  context: { first: 0, peak: turn.context },
  turns: 1,
  durationMs: 0,
  denials: [],
  unknownEvents: {},
  evidence: turn.class === 'ok' ? '' : turn.class,
})

const notesRead = (role: Role, turn: Turn | undefined): NewEvent => ({
  type: 'notes.read',
  ...unlessWorker(role),
  keep: turn?.keep ?? null,
  reset: turn?.reset ?? false,
  digest: '',
})

const cycleStarted = ({ cycle, title, handoff }: Step & { do: 'start-cycle' }): readonly NewEvent[] => {
  const isRefused = handoff !== undefined && 'refused' in handoff
  const goesOn = handoff !== undefined && !isRefused
  return [
    ...(isRefused ? [{ type: 'warning', code: 'W_HANDOFF', message: handoff.refused } as const] : []),
    { type: 'cycle.started', cycle, title, handoff: goesOn ? 'keep' : 'fresh', commit: null },
  ]
}

const trimmed = ({ role = 'worker', session }: Step & { do: 'trim' }, trim: number | string): NewEvent =>
  typeof trim === 'string'
    ? { type: 'trim.refused', ...unlessWorker(role), session, code: 'refused', reason: trim }
    : {
        type: 'trim.applied',
        ...unlessWorker(role),
        session,
        kept: [],
        tokensBefore: 0,
        tokensAfter: trim,
        bytesBefore: 0,
        bytesAfter: 0,
        refreshed: [],
        dropped: [],
        unmatched: [],
        durationMs: 0,
      }
