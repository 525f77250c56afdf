import type { AgentEvent } from '../agents/agent.ts'

/**
 * How many tokens of context the first and the largest request of one start of an agent carried: what the provider
 * counted, cached or not. A message is reported several times, once a block, so its last count holds.
 */
export const contextMeter = () => {
  const sizes = new Map<string, number>()
  return {
    add: (event: AgentEvent): void => {
      if (event.type !== 'usage') return
      const { input, cacheRead, cacheWrite } = event.tokens
      sizes.set(event.message, input + cacheRead + cacheWrite)
    },
    read: (): { first: number; peak: number } | undefined => {
      const all = [...sizes.values()]
      const [first] = all
      return first === undefined ? undefined : { first, peak: Math.max(...all) }
    },
  }
}
