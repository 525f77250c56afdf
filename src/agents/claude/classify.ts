import type { AgentResult, Ending, Invocation, Outcome, OutcomeClass } from '../agent.ts'
import { type Facts, type FailureRule, failureRules } from './failure-rules.ts'
import { resetTime } from './reset-time.ts'
import { noTokens } from './tokens.ts'

/**
 * What one start of Claude Code came to. The last result counts: a run with a background subagent prints two.
 * `subtype: "success"` alone proves nothing, since a failed request has it too; what no rule knows is a `crash`.
 */
export const classify = (ending: Ending, invocation: Invocation): Outcome => {
  const result = ending.results.at(-1)
  if (result !== undefined && succeeded(result, ending)) {
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

const succeeded = (result: AgentResult, ending: Ending): boolean =>
  result.subtype === 'success' && !result.isError && (ending.exit === 0 || ending.endedBy === 'grace')

const fits = (rule: FailureRule, facts: Facts): boolean =>
  (rule.when?.(facts) || facts.messages.some((message) => rule.says?.test(message))) === true &&
  (rule.only?.(facts) ?? true)

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

const howItEnded = ({ endedBy, exit, signal, retrying, results }: Ending): string => {
  if (endedBy === 'iteration-timeout' || endedBy === 'idle-timeout')
    return `${endedBy === 'idle-timeout' ? 'The agent was silent for too long' : 'The iteration took too long'}${retrying === undefined ? '' : `; it was retrying a failed request (${retrying})`}`
  if (endedBy === 'abort') return 'Ended by yoke'
  if (signal !== null) return `Killed by ${signal}`
  return `Exit code ${exit}${results.length === 0 ? ' without a result' : ''}`
}

const longestEvidence = 400

/** A crash prints minified source and a stack around the line that tells what happened. */
const evidence = (message: string): string => {
  const lines = message.split('\n').filter((each) => each.length <= longestEvidence && !/^\s+at\s/.test(each))
  const from = lines.findIndex((each) => /\b\w*(?:error|fatal|panic)\b/i.test(each))
  const telling = lines.slice(Math.max(0, from)).join(' ')
  const line = (telling.trim() === '' ? message : telling).replace(/\s+/g, ' ').trim()
  return line.length > longestEvidence ? `${line.slice(0, longestEvidence - 1)}…` : line
}

const outcome = (kind: OutcomeClass, ending: Ending, shown: string): Outcome => {
  const result = ending.results.at(-1)
  const resetsAt = kind === 'rate-limit' ? resetOf(ending, result) : undefined
  return {
    class: kind,
    ...(result?.session === undefined ? {} : { session: result.session }),
    text: result?.text ?? '',
    ...(result?.answer === undefined ? {} : { answer: result.answer }),
    costUsd: result?.costUsd ?? 0,
    tokens: result?.tokens ?? noTokens,
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
