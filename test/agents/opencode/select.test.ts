import { describe, expect, it } from 'vitest'
import { mintIds } from '../../../src/agents/opencode/ids.ts'
import { type KeptCall, select } from '../../../src/agents/opencode/select.ts'
import type { Message, Part, Session } from '../../../src/agents/opencode/session-schema.ts'
import { faultsOf, isSame } from '../../../src/agents/opencode/verify.ts'
import { answer, call, prompt, read, session, text, thought } from './session.ts'

let salt = 0
const mint = mintIds((length) => {
  salt += 1
  return Uint8Array.from({ length }, (_, index) => salt * 7 + index)
})

/** Keeps the reads of these messages. */
const kept = (...messages: readonly Message[]): readonly KeptCall[] =>
  messages.flatMap((message) =>
    message.parts.filter(({ tool }) => tool === 'read').map((part) => ({ message, part })),
  )

const trimmed = (whole: Session, calls: readonly KeptCall[] = []): Session => {
  const plan = select(whole, calls, mint)
  if (typeof plan === 'string') throw new Error(plan)
  expect(faultsOf(plan)).toEqual([])
  return plan
}

/** A line for each message, as a reader would tell it. */
const told = ({ messages }: Session) =>
  messages.map(({ info, parts }) => `${info.role}: ${parts.map(wordsOf).join(', ')}`)

const wordsOf = ({ text: words, tool, state }: Part) => {
  const { filePath = '' } = (state?.input ?? {}) as { readonly filePath?: string }
  return words ?? `${tool} ${filePath}`
}

const reading = answer([
  thought('hm'),
  text('I read.'),
  read('/p/a', ['x']),
  call('bash', { command: 'ls' }, 'a'),
])
const first = prompt(text('Do it'))
const last = answer([thought('so'), text('Done.')], { finish: 'stop' })

describe('a trimmed session of OpenCode', () => {
  it('holds the prompt, the kept reads and the last text', () => {
    expect(told(trimmed(session(first, reading, last), kept(reading)))).toEqual([
      'user: Do it',
      'assistant: read /p/a',
      'assistant: Done.',
    ])
  })

  it('has the last text last, also where it was said before what is kept', () => {
    const early = answer([text('On it.'), read('/p/a', ['x'])])
    expect(told(trimmed(session(first, early), kept(early)))).toEqual([
      'user: Do it',
      'assistant: read /p/a',
      'assistant: On it.',
    ])
  })

  it('ends in a text of yoke where the model has said nothing', () => {
    const silent = answer([read('/p/a', ['x'])])
    expect(told(trimmed(session(first, silent), kept(silent))).at(-1)).toBe(
      'assistant: I was interrupted here.',
    )
  })

  it('drops later prompts and errors of requests', () => {
    const refused = answer([text('half a word')], { error: { name: 'APIError' } })
    const fine = answer([text('Well.')], { error: null })
    expect(told(trimmed(session(first, fine))).at(-1)).toBe('assistant: Well.')
    expect(told(trimmed(session(first, reading, last, prompt(text('Go on')), refused)))).toEqual([
      'user: Do it',
      'assistant: Done.',
    ])
  })

  it('holds the whole first prompt and the summary after a compaction', () => {
    const compaction = prompt({ type: 'compaction', auto: true })
    const summary = answer([text('What was done.')], { summary: true, mode: 'compaction', finish: 'stop' })
    const plan = trimmed(session(first, reading, compaction, summary, last), kept(reading))
    expect(told(plan)).toEqual([
      'user: Do it',
      'assistant: read /p/a',
      'assistant: What was done.',
      'assistant: Done.',
    ])
    expect(plan.messages.some(({ info }) => 'summary' in info)).toBe(false)
  })

  it('sends the content again that OpenCode had pruned', () => {
    const pruned = answer([read('/p/a', ['x'], {}, { time: { start: 1, end: 2, compacted: 3 } })])
    const [, held] = trimmed(session(first, pruned, last), kept(pruned)).messages
    expect(held?.parts[0]?.state?.time).toEqual({ start: 1, end: 2 })
  })

  it('has new ids throughout, in the old order, and counts that set off no compaction', () => {
    const whole = session(first, reading, last)
    const plan = trimmed(whole, kept(reading))
    const idsOf = ({ info, messages }: Session) => [
      info.id,
      ...messages.flatMap((message) => [message.info.id, ...message.parts.map(({ id }) => id)]),
    ]
    expect(idsOf(plan).filter((id) => idsOf(whole).includes(id))).toEqual([])
    expect(plan.messages.map(({ info }) => info['tokens'] ?? 'none')).toEqual([
      'none',
      ...Array(2).fill({ input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }),
    ])
    expect(plan.info['permission']).toEqual(whole.info['permission'])
  })

  it('holds a picture under ids of its own', () => {
    const url = 'data:image/png;base64,aWk='
    const attachments = [
      { id: 'prt_old', sessionID: 'ses_old', messageID: 'msg_old', type: 'file', mime: 'image/png', url },
      { type: 'file', mime: 'image/png', url },
    ]
    const seen = answer([read('/p/a.png', [], {}, { attachments })])
    const plan = trimmed(session(first, seen, last), kept(seen))
    const [picture, bare] = plan.messages[1]?.parts[0]?.state?.attachments ?? []
    expect(picture).toEqual({
      ...attachments[0],
      ...{
        id: expect.stringMatching(/^prt_\w{26}$/),
        sessionID: plan.info.id,
        messageID: plan.messages[1]?.info.id,
      },
    })
    expect(bare).toEqual(attachments[1])
    const other = structuredClone(plan)
    Object.assign(other.messages[1]?.parts[0]?.state?.attachments?.[0] ?? {}, { url: 'data:' })
    expect([isSame(plan, structuredClone(plan)), isSame(plan, other)]).toEqual([true, false])
  })

  it.each<[string, Session]>([
    ['no-prompt', session(answer([text('x')]))],
    ['no-answer', session(first)],
    ['reverted', { ...session(first, last), info: { ...session().info, revert: { messageID: 'm' } } }],
    ['ids', { ...session(first, last), info: { ...session().info, id: 'ses_short' } }],
  ])('is not made when there is %s', (fault, whole) => {
    expect(select(whole, [], mint)).toBe(fault)
  })
})

describe('the verification', () => {
  const plan = trimmed(session(first, reading, last), kept(reading))
  const [one, two, three] = plan.messages
  if (!one || !two || !three) throw new Error('messages are missing')
  const [readPart] = two.parts
  if (!readPart?.state) throw new Error('the read is missing')
  const withRead = (part: object): Session => ({
    ...plan,
    messages: [one, { ...two, parts: [{ ...readPart, ...part }] }, three],
  })

  it.each<[string, Session]>([
    ['does not begin with the prompt', { ...plan, messages: [two, three] }],
    ['does not end with a text', { ...plan, messages: [one, two] }],
    ['out of order', { ...plan, messages: [one, three, two, three] }],
    ['ids repeat', { ...plan, messages: [one, two, two, three] }],
    ['belongs to another session', { ...plan, info: { ...plan.info, id: 'ses_other' } }],
    [
      'hangs on no prompt',
      { ...plan, messages: [one, two, { ...three, info: { ...three.info, parentID: 'm' } }] },
    ],
    [
      'stale token counts',
      {
        ...plan,
        messages: [one, two, { ...three, info: { ...three.info, tokens: { input: 1, output: 0 } } }],
      },
    ],
    ['is empty', { ...plan, messages: [one, { ...two, parts: [] }, three] }],
    ['is a thought', withRead({ type: 'reasoning' })],
    ['has no result', withRead({ state: { ...readPart.state, status: 'running' } })],
    ['belongs to another message', withRead({ messageID: 'msg_other' })],
    [
      'prt_x belongs to another message',
      withRead({ state: { ...readPart.state, attachments: [{ id: 'prt_x', sessionID: plan.info.id }] } }),
    ],
    ['ids repeat', withRead({ state: { ...readPart.state, attachments: [{ id: readPart.id }] } })],
  ])('finds a session that %s', (what, wrong) => {
    expect(faultsOf(wrong).join()).toContain(what)
  })

  it('tells a session that was stored otherwise from one that is the same', () => {
    const more = { ...plan, messages: plan.messages.map((message) => ({ ...message, added: true })) }
    expect(isSame(plan, more)).toBe(true)
    expect(isSame(plan, { ...plan, messages: [] })).toBe(false)
    expect(isSame(plan, withRead({ state: { ...readPart.state, output: 'other' } }))).toBe(false)
  })
})
