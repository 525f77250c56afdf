import { mkdirSync, writeFileSync } from 'node:fs'
import type { AgentEvent, Invocation, Outcome, Role } from '../../agents/agent.ts'
import type { Activity } from '../../events.ts'
import { billOf } from '../../loop/cost.ts'
import { budgetShare, type Others } from '../../loop/fleet.ts'
import { sessionOf } from '../../loop/session.ts'
import type { RunState } from '../../loop/state.ts'
import { processStart } from '../../system/process-start.ts'
import { startAgent } from '../agent-process.ts'
import { Aborted, playerOf, type RunContext } from '../context.ts'
import { contextMeter } from '../context-meter.ts'
import { agentFiles, iterationFolder } from '../folder.ts'
import { tellStreamDrift } from './drift.ts'
import { trimRehearsal } from './rehearse-trim.ts'

type Start = {
  /** Of the iteration when it is left out. */
  readonly folder?: string
  readonly onStarted?: () => void
}

/** Starts an agent for one role, keeps what it says in the folder of the iteration or cycle, and records how it began and ended. */
export const runAgent = async (
  context: RunContext,
  invocation: Invocation,
  { folder = iterationFolder(context.run, context.state().iteration), onStarted }: Start = {},
): Promise<Outcome> => {
  const { record, show, state, directives, now } = context
  const { iteration } = state()
  const { role, session } = invocation
  const { agent, agentFile } = playerOf(context.cast, role)
  const attempt = (state().attempts[role] ?? 0) + 1
  const printedBefore = session.kind === 'resume' ? sessionOf(state(), role).costUsd : 0
  const files = agentFiles(folder, role, attempt)
  mkdirSync(folder, { recursive: true })
  writeFileSync(files.prompt, invocation.prompt)
  const meter = contextMeter()
  const rehearsal = trimRehearsal(context, role)
  let version = ''
  const began = now()

  const { outcome, ending, unknownEvents } = await startAgent(
    agent,
    agentFile,
    withBudget(invocation, state(), context.others?.()),
    {
      env: context.env,
      place: context.place,
      signal: context.abort,
      iterationTimeoutMs: directives['iteration-timeout'],
      idleTimeoutMs: directives['idle-timeout'],
      stdoutFile: files.stream,
      stderrFile: files.stderr,
      onSpawn: (pid) => {
        record({
          type: 'agent.started',
          iteration,
          role,
          attempt,
          pid,
          pidStart: processStart(pid) ?? '',
          ...(session.kind === 'resume' ? { session: session.id } : {}),
        })
        onStarted?.()
      },
      onEvent: (event) => {
        meter.add(event)
        if (event.type === 'result' && session.kind === 'resume') rehearsal.begin(session.id)
        if (event.type === 'started') version = event.version ?? ''
        if (
          event.type === 'started' &&
          session.kind !== 'ephemeral' &&
          event.session !== sessionOf(state(), role).id
        )
          record({
            type: 'session.opened',
            role,
            session: event.session,
            ...optional('version', event.version),
          })
        const activity = activityOf(role, event, context.project)
        if (activity !== undefined) show(activity)
      },
      onWarning: (message) => record({ type: 'warning', code: 'W_AGENT', message }),
    },
  )
  await rehearsal.end()
  const bill = billOf(outcome, {
    printedBefore,
    isSessionCost: agent.printsSessionCost(version),
    known: state(),
  })
  const kept = optional('session', session.kind === 'ephemeral' ? undefined : outcome.session)
  if (ending.endedBy === 'abort') {
    record({ type: 'agent.lost', iteration, role, ...kept, ...bill })
    throw new Aborted()
  }

  record({
    type: 'agent.finished',
    iteration,
    role,
    class: outcome.class,
    ...kept,
    ...bill,
    ...optional('context', meter.read()),
    turns: outcome.turns,
    durationMs: now() - began,
    denials: [...outcome.denials],
    ...optional('resetsAt', outcome.resetsAt),
    unknownEvents: Object.fromEntries(unknownEvents),
    evidence: outcome.evidence,
  })
  tellStreamDrift(context, version, unknownEvents)
  return outcome
}

const activityOf = (role: Role, event: AgentEvent, project: string): Activity | undefined => {
  switch (event.type) {
    case 'said':
      return { type: 'agent.said', role, text: event.text }
    case 'tool-called':
      return {
        type: 'agent.tool',
        role,
        tool: event.tool,
        target: event.target.replaceAll(`${project}/`, ''),
      }
    case 'usage':
      return { type: 'agent.usage', role, tokens: event.tokens }
    case 'retrying':
      return {
        type: 'agent.retrying',
        role,
        attempt: event.attempt,
        of: event.of,
        delayMs: event.delayMs,
        cause: event.cause,
      }
    default:
      return undefined
  }
}

/** A property that is left out when it has no value, as `exactOptionalPropertyTypes` wants it. */
const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V })

/** The rest of the budget is handed on: what one start can overspend is then the answer that is under way (§3.4). */
export const withBudget = (
  invocation: Invocation,
  { directives, costUsd }: RunState,
  others?: Others,
): Invocation => {
  const most = directives['max-cost-usd']
  return most === undefined ? invocation : { ...invocation, budgetUsd: budgetShare(most, costUsd, others) }
}
