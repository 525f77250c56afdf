import { describe, expect, it } from 'vitest'
import { messageTexts, prefixBytes, toolResults, toolUses } from '../../src/probe/request-view.ts'
import { assistant, result, user } from './client.ts'

const body = {
  model: 'm',
  tools: [{ name: 'Read' }],
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=1' },
    { type: 'text', text: 'You work.', cache_control: { type: 'ephemeral' } },
  ],
  messages: [
    user([
      { type: 'text', text: 'reminder' },
      { type: 'text', text: 'Read both' },
    ]),
    assistant([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a' } },
      { type: 'tool_use', id: 't2', name: 'Read', input: { file_path: 'b' } },
    ]),
    user([
      { type: 'tool_result', tool_use_id: 't1', content: 'A' },
      {
        type: 'tool_result',
        tool_use_id: 't2',
        content: [{ type: 'text', text: 'B1' }, { type: 'image' }, { type: 'text', text: 'B2' }],
      },
    ]),
  ],
}
const request = { body }

describe('a view of a request', () => {
  it('shows texts, tool uses and their results', () => {
    expect(messageTexts(request)).toEqual([
      { role: 'user', text: 'reminder\nRead both' },
      { role: 'assistant', text: '' },
      { role: 'user', text: '' },
    ])
    expect(toolUses(request).map(({ id, name, input }) => [id, name, input])).toEqual([
      ['t1', 'Read', { file_path: 'a' }],
      ['t2', 'Read', { file_path: 'b' }],
    ])
    expect([...toolResults(request)]).toEqual([
      ['t1', 'A'],
      ['t2', 'B1\nB2'],
    ])
  })

  it('refuses a request without messages', () => {
    expect(() => messageTexts({})).toThrow()
    expect(() => toolUses({ body: { a: 1 } })).toThrow()
  })
})

describe('the bytes of a prefix', () => {
  const changed = (change: Record<string, unknown>) => prefixBytes({ body: { ...body, ...change } }, 2)
  const same = prefixBytes(request, 2)

  it.each<[string, Record<string, unknown>]>([
    ['a later message', { messages: [...body.messages.slice(0, 2), result('t1')] }],
    [
      'the billing header',
      { system: [{ type: 'text', text: 'x-anthropic-billing-header: cc_version=2' }, body.system[1]] },
    ],
    ['a cache breakpoint', { system: [body.system[0], { type: 'text', text: 'You work.' }] }],
    ['a single text in one piece', { system: 'You work.' }],
    ['what is no part of the prompt', { max_tokens: 5, stream: true, metadata: { user_id: 'x' } }],
  ])('do not change with %s', (_, change) => {
    expect(changed(change)).toBe(same)
  })

  it.each<[string, Record<string, unknown>]>([
    ['a tool', { tools: [{ name: 'Read', description: 'x' }] }],
    ['the system prompt', { system: 'You work hard.' }],
    ['an earlier message', { messages: [user('Read both'), ...body.messages.slice(1)] }],
    ['a role', { messages: [{ ...body.messages[0], role: 'system' }, ...body.messages.slice(1)] }],
    [
      'the order of an input',
      {
        messages: [
          body.messages[0],
          assistant([{ type: 'tool_use', input: { file_path: 'a' }, id: 't1', name: 'Read' }]),
        ],
      },
    ],
  ])('change with %s', (_, change) => {
    expect(changed(change)).not.toBe(same)
  })

  it('grow with each message', () => {
    const [one, two, three] = [1, 2, 3].map((count) => prefixBytes(request, count)) as [
      string,
      string,
      string,
    ]
    expect(two.startsWith(one)).toBe(true)
    expect(three.startsWith(two)).toBe(true)
    expect(three.length).toBeGreaterThan(two.length)
  })
})
