import { resolve } from 'node:path'
import type { Content } from '../../transcript/content.ts'
import type { AnswerBlock, Entry, ReadRequest } from '../../transcript/entry.ts'
import { tokensOf } from '../../transcript/estimate.ts'
import type { Message, Part } from './session-schema.ts'

/** A tool call and the message that holds it. */
export type Call = { readonly message: Message; readonly part: Part }

/** A stored conversation in the terms of the selection rules, with the calls by the position of their result. */
export type Conversation = {
  readonly entries: readonly Entry[]
  readonly calls: ReadonlyMap<number, Call>
}

/** One message of OpenCode is one answer of the model, its tool calls together with their results. */
export const conversationOf = (messages: readonly Message[], cwd: string): Conversation => {
  const entries: Entry[] = []
  const calls = new Map<number, Call>()
  const at = () => entries.length
  const common = (label: string, tokens: number) => ({
    source: { offset: 0, length: 0, line: 0 },
    at: at(),
    label,
    tokens,
  })
  for (const message of messages) {
    const tokens = sum(message.parts.filter(({ type }) => type !== 'tool').map(partTokens))
    if (message.info.role === 'user') {
      entries.push({ ...common('user', tokens), kind: 'prompt' })
      continue
    }
    const blocks = message.parts.map((part) => answerBlock(part, cwd))
    entries.push({ ...common('assistant', tokens), kind: 'answer', message: at(), synthetic: false, blocks })
    for (const part of message.parts.filter(({ type }) => type === 'tool')) {
      const result = { id: part.id, content: contentOf(part), block: 0 }
      calls.set(at(), { message, part })
      entries.push({ ...common(`tool:${part.tool}`, partTokens(part)), kind: 'results', results: [result] })
    }
  }
  return { entries, calls }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** What a part adds to a request, estimated. */
export const partTokens = (part: Part): number => {
  if (part.type === 'tool')
    return tokensOf([part.state?.input ?? {}, part.state?.output ?? '', part.state?.attachments ?? []])
  return part.ignored ? 0 : tokensOf(part.text ?? '')
}

const answerBlock = (part: Part, cwd: string): AnswerBlock => {
  if (part.type === 'text') return { kind: 'text', usable: (part.text ?? '').trim() !== '' }
  if (part.type !== 'tool') return { kind: 'other', type: part.type }
  const read = readRequest(part, cwd)
  return { kind: 'tool-use', id: part.id, ...(read === undefined ? {} : { read }) }
}

const readRequest = (part: Part, cwd: string): ReadRequest | undefined => {
  const input = part.state?.input
  if (part.tool !== 'read' || typeof input !== 'object' || input === null) return undefined
  const { filePath, offset, limit } = input as Readonly<Record<string, unknown>>
  if (typeof filePath !== 'string') return undefined
  return {
    path: resolve(cwd, filePath),
    // The first line is 1, and 0 counts as 1.
    ...(typeof offset === 'number' && offset > 1 ? { offset } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
  }
}

/** What a tool result holds of a file. The output of one that was pruned is still stored, and is sent again. */
const contentOf = ({ state }: Part): Content => {
  if (state?.status !== 'completed') return 'error'
  if ((state.attachments ?? []).length > 0) return 'media'
  const output = state.output ?? ''
  if (/^<path>[^\n]*<\/path>\n<type>directory<\/type>/.test(output)) return 'unknown'
  return output.trim() === '' || /\n\(End of file - total 0 lines\)\n/.test(output) ? 'empty' : 'text'
}
