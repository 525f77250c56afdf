import type { Message, Part, Session } from '../../../src/agents/opencode/session-schema.ts'

const id = 'ses_dcfd36a7bffeAAAAAAAAAAAAAA'
let count = 0

const next = (): string => {
  count += 1
  return (0x2302c961f001 + count * 0x1000).toString(16).padStart(12, '0')
}

type Json = Readonly<Record<string, unknown>>

export const text = (words: string, more: Json = {}) => ({ type: 'text', text: words, ...more })
export const thought = (words: string) => ({ type: 'reasoning', text: words })
export const call = (tool: string, input: Json, output: string, state: Json = {}) => ({
  type: 'tool',
  tool,
  callID: `toolu_${next()}`,
  state: {
    status: 'completed',
    input,
    output,
    title: '',
    metadata: {},
    time: { start: 1, end: 2 },
    ...state,
  },
})
/** A read of a file that has only these lines. */
export const read = (path: string, lines: readonly string[], input: Json = {}, state: Json = {}) =>
  call(
    'read',
    { filePath: path, ...input },
    [
      `<path>${path}</path>`,
      '<type>file</type>',
      '<content>',
      ...lines.map((line, index) => `${index + 1}: ${line}`),
      '',
      `(End of file - total ${lines.length} lines)`,
      '</content>',
    ].join('\n'),
    state,
  )

const message = (info: Json, parts: readonly Json[]): Message => ({
  info: { id: '', sessionID: id, time: { created: 0 }, ...info } as Message['info'],
  parts: parts.map((part) => ({ id: '', messageID: '', sessionID: id, ...part }) as Part),
})

export const prompt = (...parts: readonly Json[]): Message => message({ role: 'user' }, parts)
export const answer = (parts: readonly Json[], info: Json = {}): Message =>
  message(
    {
      role: 'assistant',
      parentID: 'msg_x',
      cost: 1,
      tokens: { input: 985_000, output: 1, reasoning: 0, cache: { read: 1, write: 1 } },
      finish: 'tool-calls',
      ...info,
    },
    parts,
  )

/** Gives the messages ids and times in this order, in place: a test may speak of them before and after. */
export const session = (...messages: readonly Message[]): Session => {
  messages.forEach(({ info, parts }, index) => {
    Object.assign(info, { id: `msg_${next()}AAAAAAAAAAAAAA`, time: { created: index + 1 } })
    for (const part of parts) Object.assign(part, { id: `prt_${next()}AAAAAAAAAAAAAA`, messageID: info.id })
  })
  return {
    info: {
      id,
      directory: '/p',
      time: { created: 1, updated: 2 },
      permission: [{ permission: 'question', pattern: '*', action: 'deny' }],
      cost: 3,
    } as Session['info'],
    messages: [...messages],
  }
}
