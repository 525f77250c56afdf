import type { AgentEvent } from '../agents/agent.ts'
import type { RunEvent } from '../events.ts'
import { tokensIn } from '../loop/tokens.ts'

/**
 * How many tokens of context the first and the largest request of one start of an agent carried: what the provider
 * counted, cached or not. A message is reported several times, once a block, so its last count holds.
 */
export const contextMeter = () => {
  const sizes = new Map<string, number>()
  let isCachedForAnHour = false
  return {
    add: (event: AgentEvent): void => {
      if (event.type !== 'usage') return
      sizes.set(event.message, tokensIn(event.tokens))
      isCachedForAnHour ||= event.isCachedForAnHour === true
    },
    read: (): (RunEvent & { type: 'agent.finished' })['context'] => {
      const all = [...sizes.values()]
      const [first] = all
      return first === undefined
        ? undefined
        : {
            first,
            peak: Math.max(...all),
            calls: all.length,
            ...(isCachedForAnHour ? { lifetime: '1h' } : {}),
          }
    },
  }
}
