import type { AgentEvent, AgentResult, Answers, Ending } from '../agents/agent.ts'
import { addTokens, noTokens } from '../loop/tokens.ts'

/** Collects from the events of one start what its classifier and its watchdog ask for. */
export const eventTally = () => {
  const results: AgentResult[] = []
  const requestErrors: Ending['requestErrors'][number][] = []
  const tools = new Map<string, string>()
  const subagents = new Map<string, string>()
  const unknownEvents = new Map<string, number>()
  let limit: Ending['limit']
  let retrying: string | undefined
  let sessionLost: string | undefined
  let session: string | undefined
  let turnOver = false
  let said = ''
  let finish: string | undefined
  const answers = new Map<string, AgentEvent & { type: 'usage' }>()
  const denials: string[] = []
  const delegated: string[] = []
  return {
    add: (event: AgentEvent): void => {
      // The end of a background task wakes the model up again, after a first result (claude 2.1.332).
      if (turnEvents.has(event.type)) turnOver = false
      switch (event.type) {
        case 'started':
          session = event.session
          break
        case 'tool-called':
          tools.set(event.id, `${event.tool} ${event.target}`.trimEnd())
          break
        case 'tool-returned':
          tools.delete(event.id)
          if (event.denied !== undefined) denials.push(event.denied)
          break
        case 'said':
          said = event.text
          break
        case 'delegated':
          delegated.push(event.session)
          break
        case 'background-started':
          if (event.kind === 'agent') subagents.set(event.id, `the subagent "${event.target}"`)
          break
        case 'background-ended':
          subagents.delete(event.id)
          break
        case 'usage':
          retrying = undefined
          // A message may be reported several times: the last count holds.
          answers.set(event.message, event)
          finish = event.finish
          break
        case 'retrying':
          retrying = event.cause
          break
        case 'request-failed':
          requestErrors.push({
            error: event.error,
            text: event.text,
            ...(event.status === undefined ? {} : { status: event.status }),
          })
          finish = undefined
          break
        case 'choice-unknown':
          requestErrors.push({ error: event.type, text: event.text })
          break
        case 'limit':
          limit = { text: event.text, ...(event.resetsAt === undefined ? {} : { resetsAt: event.resetsAt }) }
          break
        case 'session-lost':
          sessionLost = event.cause
          break
        case 'session-unknown':
          // A turn that goes on has its session, whatever else is not found.
          turnOver = session === undefined
          break
        case 'result':
          results.push(event.result)
          turnOver = true
          break
        case 'unknown':
          unknownEvents.set(event.name, (unknownEvents.get(event.name) ?? 0) + 1)
          break
      }
    },
    /** Nothing more is to come but the exit. A background command may run for ever, so it is not waited for. */
    finished: (): boolean => turnOver && subagents.size === 0,
    /** What keeps the agent waiting, in words for people. */
    working: (): string | undefined => [...tools.values(), ...subagents.values()].at(-1),
    /** Whether the agent is about to ask the model again when its answers have cost that much, in US dollars, by its own word. */
    isBeyond: (budgetUsd: number): boolean => {
      const all = [...answers.values()]
      return all.at(-1)?.goesOn === true && sumOf(all).costUsd >= budgetUsd
    },
    session: (): string | undefined => session,
    /** The sessions of subagents, where their answers are not among the events. */
    delegated: delegated as readonly string[],
    unknownEvents: unknownEvents as ReadonlyMap<string, number>,
    facts: (): Pick<
      Ending,
      'results' | 'requestErrors' | 'answers' | 'limit' | 'retrying' | 'sessionLost'
    > => ({
      results,
      requestErrors,
      answers: {
        ...sumOf([...answers.values()]),
        said,
        denials,
        ...(finish === undefined ? {} : { finish }),
      },
      ...(limit === undefined ? {} : { limit }),
      ...(retrying === undefined ? {} : { retrying }),
      ...(sessionLost === undefined ? {} : { sessionLost }),
    }),
  }
}

const sumOf = (
  answers: readonly (AgentEvent & { type: 'usage' })[],
): Pick<Answers, 'count' | 'tokens' | 'costUsd'> => ({
  count: answers.length,
  costUsd: answers.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
  tokens: answers.reduce((sum, { tokens }) => addTokens(sum, tokens), noTokens),
})

const turnEvents: ReadonlySet<AgentEvent['type']> = new Set([
  'started',
  'said',
  'thought',
  'tool-called',
  'usage',
] as const)
