import type { AgentEvent, AgentResult, Ending } from '../agents/agent.ts'

/** Collects from the events of one start what its classifier and its watchdog ask for. */
export const eventTally = () => {
  const results: AgentResult[] = []
  const requestErrors: { readonly error: string; readonly text: string }[] = []
  const tools = new Map<string, string>()
  const subagents = new Map<string, string>()
  const unknownEvents = new Map<string, number>()
  let limit: Ending['limit']
  let retrying: string | undefined
  let session: string | undefined
  let turnOver = false
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
          break
        case 'background-started':
          if (event.kind === 'agent') subagents.set(event.id, `the subagent "${event.target}"`)
          break
        case 'background-ended':
          subagents.delete(event.id)
          break
        case 'usage':
          retrying = undefined
          break
        case 'retrying':
          retrying = event.cause
          break
        case 'request-failed':
          requestErrors.push({ error: event.error, text: event.text })
          break
        case 'limit':
          limit = { text: event.text, ...(event.resetsAt === undefined ? {} : { resetsAt: event.resetsAt }) }
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
    session: (): string | undefined => session,
    unknownEvents: unknownEvents as ReadonlyMap<string, number>,
    facts: (): Pick<Ending, 'results' | 'requestErrors' | 'limit' | 'retrying'> => ({
      results,
      requestErrors,
      ...(limit === undefined ? {} : { limit }),
      ...(retrying === undefined ? {} : { retrying }),
    }),
  }
}

const turnEvents: ReadonlySet<AgentEvent['type']> = new Set([
  'started',
  'said',
  'thought',
  'tool-called',
  'usage',
] as const)
