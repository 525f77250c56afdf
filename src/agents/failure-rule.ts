import type { OutcomeClass } from './agent.ts'

/** The first rule that fits decides. `says` is looked for in each message, `when` asks the facts; either is enough. */
export type FailureRule<Facts> = {
  readonly class: OutcomeClass
  readonly says?: RegExp
  readonly when?: (facts: Facts) => boolean
  /** Narrows the rule: it holds only if this does as well. */
  readonly only?: (facts: Facts) => boolean
}

export const fits = <Facts extends { readonly messages: readonly string[] }>(
  rule: FailureRule<Facts>,
  facts: Facts,
): boolean =>
  (rule.when?.(facts) || facts.messages.some((message) => rule.says?.test(message))) === true &&
  (rule.only?.(facts) ?? true)
