import { isDeepStrictEqual } from 'node:util'
import type { Part, Session } from './session-schema.ts'

/** What is wrong with a trimmed session, a sentence each: the rules that the next request stands on. */
export const faultsOf = ({ info, messages }: Session): readonly string[] => {
  const faults: string[] = []
  const fault = (isWrong: boolean, what: string): void => {
    if (isWrong) faults.push(what)
  }
  const ids = messages.map((message) => message.info.id)
  const parts = messages.flatMap((message) => message.parts.flatMap(withAttachments))
  const [first] = messages
  fault(first?.info.role !== 'user', 'it does not begin with the prompt')
  fault(messages.at(-1)?.info.role !== 'assistant', 'it does not end with an answer')
  fault(messages.at(-1)?.parts.every(({ type }) => type === 'text') === false, 'it does not end with a text')
  fault(new Set([...ids, ...parts.map(({ id }) => id)]).size !== ids.length + parts.length, 'ids repeat')
  fault(!isOrdered(messages), 'messages are out of order')
  for (const message of messages) {
    const { id, sessionID, role, tokens, parentID } = message.info
    fault(sessionID !== info.id, `${id} belongs to another session`)
    fault(role === 'assistant' && parentID !== first?.info.id, `${id} hangs on no prompt`)
    fault(tokens !== undefined && (tokens.input !== 0 || tokens.output !== 0), `${id} has stale token counts`)
    fault(message.parts.length === 0, `${id} is empty`)
    for (const part of message.parts) {
      for (const each of withAttachments(part))
        fault(each.messageID !== id || each.sessionID !== info.id, `${each.id} belongs to another message`)
      fault(part.type === 'reasoning', `${part.id} is a thought`)
      fault(part.type === 'tool' && part.state?.status !== 'completed', `${part.id} has no result`)
    }
  }
  return faults
}

/** A part and the files in it that have ids. */
const withAttachments = (part: Part): readonly Pick<Part, 'id' | 'messageID' | 'sessionID'>[] => [
  part,
  ...(part.state?.attachments ?? []).flatMap(({ id, messageID = '', sessionID = '' }) =>
    id === undefined ? [] : [{ id, messageID, sessionID }],
  ),
]

const isOrdered = (messages: Session['messages']): boolean =>
  messages.every(({ info }, index) => {
    const before = messages[index - 1]?.info
    if (before === undefined) return true
    return before.time.created === info.time.created
      ? before.id < info.id
      : before.time.created < info.time.created
  })

/** Whether a session that was read back holds what was stored, as far as it is sent. Fields that OpenCode adds do not count. */
export const isSame = (stored: Session, found: Session): boolean =>
  isDeepStrictEqual(sentParts(stored), sentParts(found))

/** Whether a session holds anything that a copy of it does not, as far as it is sent. */
export const holdsMore = (session: Session, copy: Session): boolean => {
  const partsOf = ({ messages }: Session) => messages.flatMap(({ parts }) => parts)
  const known = new Map(partsOf(copy).map((part) => [part.id, sentPart(part)]))
  return partsOf(session).some((part) => !isDeepStrictEqual(sentPart(part), known.get(part.id)))
}

const sentParts = ({ info, messages }: Session) => ({
  id: info.id,
  messages: messages.map((message) => ({
    id: message.info.id,
    role: message.info.role,
    parts: message.parts.map(sentPart),
  })),
})

const sentPart = ({ id, type, text, tool, callID, state }: Part) => ({
  ...{ id, type, text, tool, callID },
  ...{ status: state?.status, input: state?.input, output: state?.output },
  attachments: (state?.attachments ?? []).map((each) => [each.id, each.messageID, each['mime'], each['url']]),
})
