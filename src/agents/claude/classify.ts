import { noTokens } from '../../loop/tokens.ts'
import type { AgentResult, Ending, Invocation, Outcome, OutcomeClass } from '../agent.ts'
import { evidence, howItEnded } from '../evidence.ts'
import { fits } from '../failure-rule.ts'
import { resetTime } from '../reset-time.ts'
import { type Facts, failureRules } from './failure-rules.ts'

/**
 * What one start of Claude Code came to. The last result counts: a run with a background subagent prints two.
 * `subtype: "success"` alone proves nothing, since a failed request has it too; what no rule knows is a `crash`.
 */
export const classify = (ending: Ending, invocation: Invocation): Outcome => {
  const result = ending.results.at(-1)
  if (result !== undefined && succeeded(result, ending)) {
    // What the next turn would resume is not what happened.
    if (ending.sessionLost !== undefined && invocation.session.kind !== 'ephemeral')
      return outcome(
        'no-transcript',
        ending,
        `The agent could not store its session: ${lossWords[ending.sessionLost] ?? ending.sessionLost}.`,
      )
    // A judge is denied by design; a worker that was denied something may have done less than it was asked to.
    const denied = invocation.access === 'edit' && result.denials.length > 0
    return outcome(denied ? 'permission' : 'ok', ending, denied ? `Denied: ${result.denials.join(', ')}` : '')
  }
  const messages = messagesOf(ending, result)
  const facts: Facts = { ending, invocation, messages, ...(result === undefined ? {} : { result }) }
  const rule = failureRules.find((each) => fits(each, facts))
  const kind = rule?.class ?? 'crash'
  const telling = messages.find((message) => rule?.says?.test(message)) ?? messages[0]
  return outcome(kind, ending, evidence(telling ?? howItEnded(ending)))
}

const lossWords: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full (ENOSPC)',
  EDQUOT: 'the disk quota is used up (EDQUOT)',
}

const succeeded = (result: AgentResult, ending: Ending): boolean =>
  result.subtype === 'success' && !result.isError && (ending.exit === 0 || ending.endedBy === 'grace')

/** The text of a result that did not fail is the model's, and may quote any message: it is no evidence. */
const messagesOf = (ending: Ending, result: AgentResult | undefined): readonly string[] =>
  [
    ...(result?.errors ?? []),
    result?.isError ? result.text : '',
    ...ending.requestErrors.map(({ text }) => text).reverse(),
    ending.endedBy === undefined ? '' : howItEnded(ending),
    ending.limit?.text ?? '',
    ending.stderr,
  ].filter((message) => message.trim() !== '')

const outcome = (kind: OutcomeClass, ending: Ending, shown: string): Outcome => {
  const result = ending.results.at(-1)
  const resetsAt = kind === 'rate-limit' ? resetOf(ending, result) : undefined
  return {
    class: kind,
    ...(result?.session === undefined ? {} : { session: result.session }),
    text: result?.text ?? '',
    ...(result?.answer === undefined ? {} : { answer: result.answer }),
    costUsd: result?.costUsd ?? 0,
    ...(result === undefined ? { isUnpriced: true } : {}),
    tokens: result?.tokens ?? ending.answers?.tokens ?? noTokens,
    turns: result?.turns ?? 0,
    denials: result?.denials ?? [],
    ...(resetsAt === undefined ? {} : { resetsAt }),
    evidence: shown,
  }
}

const resetOf = (ending: Ending, result: AgentResult | undefined): number | undefined =>
  ending.limit?.resetsAt ??
  messagesOf(ending, result)
    .map((message) => resetTime(message, ending.endedAt, ending.timeZone))
    .find((at) => at !== undefined)
