import { noTokens } from '../../loop/tokens.ts'
import type { Answers, Ending, Invocation, Outcome, OutcomeClass } from '../agent.ts'
import { evidence, howItEnded } from '../evidence.ts'
import { fits } from '../failure-rule.ts'
import { resetTime } from '../reset-time.ts'
import { type Facts, failureRules, newerStore, tornStore, unwritableStore } from './failure-rules.ts'
import { goesOn } from './finish.ts'

const nothing: Answers = {
  count: 0,
  tokens: noTokens,
  costUsd: 0,
  said: '',
  denials: [],
}

/**
 * What one start of OpenCode came to. It prints no result: a turn is over when the last answer of the model ended without
 * calling a tool. The exit code proves little: 0 after a refused permission, 1 after an error that it got over (1.18.33).
 */
export const classify = (ending: Ending, invocation: Invocation): Outcome => {
  const { answers = nothing } = ending
  const isOver = answers.finish !== undefined && !goesOn(answers.finish)
  if (isOver && ending.signal === null && (ending.endedBy === undefined || ending.endedBy === 'grace')) {
    const denied = invocation.access === 'edit' && answers.denials.length > 0
    return outcome(
      denied ? 'permission' : 'ok',
      ending,
      denied ? `Denied: ${answers.denials.join(', ')}` : '',
    )
  }
  const facts: Facts = { ending, invocation, messages: messagesOf(ending) }
  const rule = failureRules.find((each) => fits(each, facts))
  if (rule === undefined && lacksItsEnd(ending)) return outcome('crash', ending, endless)
  const telling = facts.messages.find((message) => rule?.says?.test(message)) ?? facts.messages[0]
  const shown = telling === undefined || seeLog.test(telling) ? (logged(ending) ?? telling) : telling
  return outcome(rule?.class ?? 'crash', ending, evidence(inShort(shown ?? howItEnded(ending))))
}

/** 1.15.13 mostly ends well before it has reported its last answer. */
const lacksItsEnd = ({ exit, requestErrors, answers }: Ending): boolean =>
  exit === 0 && requestErrors.length === 0 && answers?.finish !== undefined

const endless = 'OpenCode ended well without its last answer, as 1.15.13 mostly does: update it'

/** What tells of the failure, the most telling first. */
const messagesOf = (ending: Ending): readonly string[] =>
  [
    ...ending.requestErrors.map(({ text }) => text).reverse(),
    logged(ending) ?? '',
    ending.endedBy === undefined ? '' : howItEnded(ending),
    withoutColours(ending.stderr),
  ].filter((message) => message.trim() !== '')

const seeLog = /Check server logs/

/** What the log says of the failure that the events do not name (1.15 and later): the words of the exception. */
const logged = ({ stderr }: Ending): string | undefined => {
  const [, words] = /\blevel=ERROR\b[^\n]*? ref=\S+ error="((?:[^"\\\n]|\\.)*)"/.exec(stderr) ?? []
  return words?.replace(/^\w*Error: /, '').replaceAll('\\"', '"')
}

/** OpenCode colours its messages also where no terminal is. */
const withoutColours = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, '')

/** A sentence in place of a page. */
const inShort = (message: string): string => {
  // The help of a command, in place of a word about what was wrong with its options.
  if (/^opencode run \[message\.\.\]/m.test(message)) return 'OpenCode does not know one of its options'
  // In the middle of a page of source.
  const unknown = /\bResource not found: .*\b(ses_\w+)\.json/.exec(message)?.[1]
  if (unknown !== undefined) return `Session not found: ${unknown}`
  const { provider, model } = noModel.exec(message)?.groups ?? {}
  if (provider !== undefined && model === '') return withoutProvider(provider)
  if (model !== undefined) return `Model not found: ${provider}/${model}`
  const slashless = /\bModel not found: ([^\s/]+)\/(?=\.|$)/.exec(message)?.[1]
  if (slashless !== undefined) return withoutProvider(slashless)
  const torn = tornStore.exec(message)?.[0]
  if (torn !== undefined)
    return `OpenCode cannot read its store of sessions (${torn}); \`yoke doctor --agent opencode\` names the file`
  const unwritable = unwritableStore.exec(message)?.[0]
  if (unwritable !== undefined)
    return `OpenCode cannot open its store of sessions, or write to it (${unwritable}); \`yoke doctor --agent opencode\` names the file`
  if (message.startsWith('Failed query: ')) return 'OpenCode cannot read what it has stored of the session'
  return newerStore.test(message)
    ? 'The database of sessions is that of a newer OpenCode: update the installed one'
    : message
}

/** OpenCode takes the whole name for the provider's. */
const withoutProvider = (name: string): string =>
  `Model not found: ${name}: \`model\` takes \`provider/model\`; \`opencode models\` lists them`

/** In the same place, in releases up to 1.1. */
const noModel =
  /\bProviderModelNotFoundError\s+data: \{\s+providerID: "(?<provider>[^"]*)",\s+modelID: "(?<model>[^"]*)"/

const outcome = (kind: OutcomeClass, ending: Ending, shown: string): Outcome => {
  const { answers = nothing } = ending
  const resetsAt = kind === 'rate-limit' ? resetOf(ending) : undefined
  return {
    class: kind,
    text: answers.said,
    costUsd: answers.costUsd,
    tokens: answers.tokens,
    turns: answers.count,
    denials: answers.denials,
    ...(resetsAt === undefined ? {} : { resetsAt }),
    evidence: shown,
  }
}

const resetOf = (ending: Ending): number | undefined =>
  [...messagesOf(ending), ending.retrying ?? '']
    .map((message) => resetTime(message, ending.endedAt, ending.timeZone))
    .find((at) => at !== undefined)
