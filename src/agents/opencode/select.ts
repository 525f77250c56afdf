import type { Call } from './conversation.ts'
import { later, type Mint, timeOfId } from './ids.ts'
import type { Message, Part, Session } from './session-schema.ts'

/** A read that stays, with the output of now where the old one is stale. */
export type KeptCall = Call & {
  readonly now?: { readonly output: string; readonly lines: readonly string[] }
}

export type PlanFault = 'no-prompt' | 'no-answer' | 'reverted' | 'ids'

/** The end of a conversation in which the model has said nothing: without it the model would be asked in the middle of its tools. */
const closingText = 'I was interrupted here.'

/**
 * The trimmed session, under new ids: the first prompt, the summary of the last compaction as a plain text, the kept reads with their
 * results, and at the end the last text of the model. An order that OpenCode knows by creation time and id is kept.
 */
export const select = (session: Session, kept: readonly KeptCall[], mint: Mint): Session | PlanFault => {
  const { info, messages } = session
  const prompt = messages.find(isPrompt)
  const answers = messages.filter(({ info: { role } }) => role === 'assistant')
  const lastAnswer = answers.at(-1)
  if (prompt === undefined) return 'no-prompt'
  if (lastAnswer === undefined) return 'no-answer'
  if ('revert' in info && info['revert'] != null) return 'reverted'
  const times = messages.map(({ info: { id } }) => timeOfId(id))
  const [begin, end] = [timeOfId(info.id), times.at(-1)]
  if (begin === undefined || end === undefined || times.includes(undefined)) return 'ids'

  const id = mint('ses', begin)
  const promptId = mint('msg', timeOfId(prompt.info.id) ?? end)
  const said = (message: Message, text: Part) => answer(message, [plainText(text)], 'stop')
  const answer = (message: Message, parts: readonly Part[], finish: string): Message => ({
    info: withoutSpent({ ...message.info, parentID: promptId, finish }),
    parts: [...parts],
  })

  const summary = answers.findLast(({ info: { summary } }) => summary === true)
  const summaryText = summary && textsOf(summary).at(-1)
  const last = answers.findLast((each) => each !== summary && textsOf(each).length > 0)
  const lastText = last && textsOf(last).at(-1)
  const middle = answers.flatMap((message): readonly Message[] => {
    if (message === summary && summaryText !== undefined) return [said(message, summaryText)]
    const calls = kept.filter((call) => call.message === message).map(toolPart)
    return calls.length === 0 ? [] : [answer(message, calls, 'tool-calls')]
  })
  const closing = said(last ?? lastAnswer, lastText ?? { ...emptyText(lastAnswer), text: closingText })
  // The last text is an answer of its own, after all that is kept.
  const newest = Math.max(...messages.map(({ info: { time } }) => time.created))
  const chosen: readonly Message[] = [
    { info: withoutDiffs(prompt.info), parts: prompt.parts },
    ...middle,
    { ...closing, info: { ...closing.info, time: { created: newest, completed: newest } } },
  ]
  return {
    ...session,
    info: { ...withoutSpent(info), id },
    messages: chosen.map((message, index) => {
      const isClosing = index === chosen.length - 1
      const time = isClosing ? later(end, 1) : (timeOfId(message.info.id) ?? end)
      const messageID = index === 0 ? promptId : mint('msg', time)
      return {
        info: { ...message.info, id: messageID, sessionID: id },
        parts: message.parts.map((part, place) => {
          const made = isClosing ? later(end, 2) : (timeOfId(part.id) ?? later(end, place + 1))
          const ids = () => ({ id: mint('prt', made), sessionID: id, messageID })
          return { ...part, ...withAttachments(part, ids), ...ids() }
        }),
      }
    }),
  }
}

/** The attachments of a part under ids of their own, where they have any. */
const withAttachments = ({ state }: Part, ids: () => object): Pick<Part, 'state'> =>
  state?.attachments == null
    ? {}
    : {
        state: {
          ...state,
          attachments: state.attachments.map((each) =>
            each.id === undefined ? each : { ...each, ...ids() },
          ),
        },
      }

/** A prompt that somebody wrote, and not the mark that a compaction leaves. */
const isPrompt = ({ info, parts }: Message): boolean =>
  info.role === 'user' &&
  parts.some(({ type }) => type === 'text') &&
  !parts.some(({ type }) => type === 'compaction')

const textsOf = ({ info, parts }: Message): readonly Part[] =>
  info.error != null
    ? []
    : parts.filter((part) => part.type === 'text' && !part.ignored && (part.text ?? '').trim() !== '')

/** Without what a provider has put beside it. */
const plainText = ({ metadata: _, ...part }: Part): Part => part

const emptyText = ({ info: { id, sessionID } }: Message): Part => ({
  id,
  sessionID,
  messageID: id,
  type: 'text',
})

/** Stale counts set off a compaction of the whole session (1.18.33); the cost was paid in the old one. */
const withoutSpent = <T extends object>(info: T): T => {
  const { summary: _, error: __, ...rest } = info as T & { summary?: unknown; error?: unknown }
  const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
  return {
    ...(rest as T),
    ...('tokens' in info ? { tokens } : {}),
    ...('cost' in info ? { cost: 0 } : {}),
  }
}

/** What the turn changed in the files, for people to look at: never sent. */
const withoutDiffs = ({ summary: _, ...info }: Message['info']): Message['info'] => info

/** With the content that was pruned from requests, and that of now where it was stale. */
const toolPart = ({ part, now }: KeptCall): Part => {
  const { state } = part
  if (state === undefined) return part
  const { compacted: _, ...time } = { compacted: undefined, ...state.time }
  const same = { ...state, ...(state.time == null ? {} : { time }) }
  if (now === undefined) return { ...part, state: same }
  return { ...part, state: { ...same, output: now.output, metadata: metadataOf(state.metadata, now.lines) } }
}

/** OpenCode's own copies of what was read, for people. */
const metadataOf = (metadata: unknown, lines: readonly string[]): unknown => {
  if (typeof metadata !== 'object' || metadata === null) return metadata
  const { display, ...rest } = metadata as { readonly display?: unknown }
  return { ...rest, ...('preview' in rest ? { preview: lines.slice(0, 20).join('\n') } : {}) }
}
