import type {
  Agent,
  AgentEvent,
  Ending,
  Invocation,
  Outcome,
  Place,
  SessionLoss,
  Spent,
} from '../agents/agent.ts'
import { addTokens } from '../loop/tokens.ts'
import { eventTally } from './event-tally.ts'
import { type ProcessOptions, runProcess } from './process.ts'

export type AgentOptions = Omit<
  ProcessOptions,
  'cwd' | 'onLine' | 'onErrorLine' | 'troubledTimeoutMs' | 'finished' | 'overspent' | 'working'
> & {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onEvent: (event: AgentEvent) => void
  /** On the host when it is left out. */
  readonly place?: Place | undefined
}

/** How one start of an agent went. `unknownEvents` counts what yoke did not understand, by name. */
export type AgentRun = {
  readonly outcome: Outcome
  readonly ending: Ending
  readonly unknownEvents: ReadonlyMap<string, number>
}

/** Starts an agent once, reports its events as they come, and says what it came to. Throws `E_AGENT_START`, `E_AGENT_ARGS`,
 * `E_AGENT_CONFIG`. */
export const startAgent = async (
  agent: Agent,
  file: string,
  invocation: Invocation,
  { env, onEvent, place = host, ...options }: AgentOptions,
): Promise<AgentRun> => {
  const tally = eventTally()
  const began = Date.now()
  const { patience } = agent
  const onEvents = (events: readonly AgentEvent[]): void => {
    for (const event of events) {
      tally.add(event)
      onEvent(event)
    }
  }
  const home = place === host ? 'of-user' : 'of-project'
  const installation = await agent.inspect(file, env, place.launch, home, invocation)
  const command = agent.commandLine(file, invocation, env, installation)
  const { session: used, cwd, budgetUsd } = invocation
  const lossOf = used.kind === 'resume' ? await agent.watchSession?.(used.id, cwd, env) : undefined
  const ended = await runProcess(place.launch(command, invocation.access), {
    ...options,
    idleTimeoutMs: options.idleTimeoutMs ?? patience?.silenceMs,
    troubledTimeoutMs: patience?.retryingMs,
    cwd: invocation.cwd,
    onLine: (line) => onEvents(agent.parseLine(line)),
    onErrorLine: (line) => {
      const events = agent.parseErrorLine?.(line) ?? []
      onEvents(events)
      if (events.some(({ type }) => type === 'choice-unknown')) return 'stop'
      if (events.some(({ type }) => type === 'session-unknown')) return 'end'
      return events.some(({ type }) => type === 'retrying') ? 'trouble' : undefined
    },
    finished: tally.finished,
    overspent: () => budgetUsd !== undefined && tally.isBeyond(budgetUsd),
    working: tally.working,
  })
  if (ended.endedBy !== undefined || ended.signal !== null) await place.sweep()
  const ending: Ending = {
    ...ended,
    ...tally.facts(),
    endedAt: Date.now(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const failure = place.failure(ending)
  const classified = outcomeOf(agent.classify(ending, invocation), failure)
  const session = classified.session ?? tally.session()
  const outcome = { ...classified, ...(session === undefined ? {} : { session }) }
  const cli = { program: file, cwd, env, launch: place.launch }
  return {
    outcome: withDelegated(
      await withTranscript(agent, outcome, invocation, env, lossOf),
      tally.delegated.length === 0 ? undefined : await agent.spentBy?.(cli, tally.delegated, began),
    ),
    ending,
    unknownEvents: tally.unknownEvents,
  }
}

/** With what subagents have spent. */
const withDelegated = (outcome: Outcome, spent: Spent | undefined): Outcome =>
  spent === undefined
    ? outcome
    : {
        ...outcome,
        costUsd: outcome.costUsd + spent.costUsd,
        tokens: addTokens(outcome.tokens, spent.tokens),
      }

const host: Place = { launch: (command) => command, failure: () => undefined, sweep: async () => {} }

const outcomeOf = (outcome: Outcome, failure: string | undefined): Outcome =>
  failure === undefined ? outcome : { ...outcome, class: 'bad-config', evidence: failure }

/** Claude Code ends with 0 and no warning when it cannot write its session file: the next iteration could not resume it. */
const withTranscript = async (
  agent: Agent,
  outcome: Outcome,
  { session, cwd }: Invocation,
  env: AgentOptions['env'],
  lossOf: (() => Promise<SessionLoss | undefined>) | undefined,
): Promise<Outcome> => {
  if (session.kind === 'ephemeral' || !['ok', 'permission', 'max-turns'].includes(outcome.class))
    return outcome
  if (outcome.session !== undefined && (await agent.findSession(outcome.session, cwd, env)) !== undefined) {
    const goesOn = session.kind === 'resume' && outcome.session === session.id
    return { ...outcome, ...(goesOn ? await lossOf?.() : undefined) }
  }
  return {
    ...outcome,
    class: 'no-transcript',
    evidence: `The agent wrote no session file for ${outcome.session ?? 'its session'}.`,
  }
}
