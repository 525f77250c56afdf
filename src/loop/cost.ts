import type { Tokens } from '../agents/agent.ts'

/**
 * The cost of one start of an agent, in US dollars. A release that prints the cost of the whole session repeats what was
 * printed before; a figure below that means that the agent has begun to count anew.
 */
export const costOfStart = (printed: number, printedBefore: number, isSessionCost: boolean): number =>
  isSessionCost && printed >= printedBefore ? printed - printedBefore : printed

/** What an agent said of the money that it spent. */
export type Printed = {
  readonly costUsd: number
  readonly tokens: Tokens
  /** It was cut off before it named a cost. */
  readonly isUnpriced?: true
}

/** What one start of an agent adds to the books, and what its session is known to have cost by its own account. */
export const billOf = (
  { costUsd, tokens, isUnpriced }: Printed,
  { printedBefore, isSessionCost, known }: BillContext,
): { readonly costUsd: number; readonly printedCostUsd: number; readonly tokens: Tokens } => ({
  costUsd: isUnpriced ? estimatedCost(tokens, known) : costOfStart(costUsd, printedBefore, isSessionCost),
  // What was not printed is no account: the next figure of the session is compared with the last one that was.
  printedCostUsd: isUnpriced ? printedBefore : costUsd,
  tokens,
})

export type BillContext = {
  readonly printedBefore: number
  readonly isSessionCost: boolean
  /** What the run has paid so far, and for which tokens. */
  readonly known: { readonly costUsd: number; readonly tokens: Tokens }
}

/** At the price that the run has paid so far; before it has paid anything, at that of a dear model. */
const estimatedCost = (tokens: Tokens, { costUsd, tokens: paid }: BillContext['known']): number => {
  const inputs = inInputTokens(paid)
  return inInputTokens(tokens) * (inputs === 0 ? dearUsd : costUsd / inputs)
}

/** US dollars for an input token of the dearest model in wide use: a hard stop for money errs on this side. */
const dearUsd = 5e-6

/** What a token costs beside one of input that is not cached, by the provider's price list: the same for each of its models. */
export const priceRatios = { output: 5, read: 0.1, write: { '5m': 1.25, '1h': 2 } } as const

/** What tokens cost, in tokens of input. */
export const inInputTokens = ({ input, output, cacheRead, cacheWrite }: Tokens): number =>
  input + priceRatios.output * output + priceRatios.read * cacheRead + priceRatios.write['5m'] * cacheWrite
