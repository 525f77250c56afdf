import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { MessagesRequestSchema } from '../../src/probe/messages-request.ts'
import { bookRequest, type CacheEntry, inputTokens } from '../../src/probe/prompt-cache.ts'

const mark = { cache_control: { type: 'ephemeral' } }
const hourMark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const text = (words: string, more = {}) => ({ type: 'text', text: words.padEnd(4000, '.'), ...more })
const user = (...content: unknown[]) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const request = (messages: readonly unknown[], more = {}) =>
  v.parse(MessagesRequestSchema, { model: 'm', messages, ...more })

/** Thousands of tokens read, written and neither, of requests `[seconds, request]` that come one after another. */
const book = (steps: readonly (readonly [number, ReturnType<typeof request>])[]) => {
  let entries: readonly CacheEntry[] = []
  return steps.map(([seconds, each]) => {
    const booked = bookRequest(entries, each, seconds * 1000)
    entries = booked.entries
    const {
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      input_tokens: rest,
    } = booked.usage
    return [read, written, rest].map((tokens) => Math.floor(tokens / 1000))
  })
}

const minute = 60
const twelve = (block: (n: number) => unknown) => Array.from({ length: 12 }, (_, n) => block(n))
const use = (n: number) => ({
  type: 'tool_use',
  id: `toolu_${n}`,
  name: 'Read',
  input: { words: ''.padEnd(4000, '.') },
})
const result = (n: number) => ({
  type: 'tool_result',
  tool_use_id: `toolu_${n}`,
  content: ''.padEnd(4000, '.'),
})
const one = request([user(text('a', mark))])
const two = request([user(text('a')), assistant(text('b')), user(text('c', mark))])

describe('the books of the prompt cache', () => {
  it.each<[string, Parameters<typeof book>[0], readonly (readonly number[])[]]>([
    [
      'nothing is stored without a breakpoint',
      [
        [0, request([user(text('a'))])],
        [1, one],
      ],
      [
        [0, 0, 1],
        [0, 1, 0],
      ],
    ],
    [
      'a prefix is read again',
      [
        [0, one],
        [1, one],
      ],
      [
        [0, 1, 0],
        [1, 0, 0],
      ],
    ],
    [
      'a longer request reads the shorter one and stores the rest',
      [
        [0, one],
        [1, two],
      ],
      [
        [0, 1, 0],
        [1, 2, 0],
      ],
    ],
    [
      'what follows the last breakpoint is neither',
      [
        [0, one],
        [1, request([user(text('a', mark), text('b'))])],
      ],
      [
        [0, 1, 0],
        [1, 0, 1],
      ],
    ],
    [
      'a shorter request reads what an earlier breakpoint stored',
      [
        [0, request([user(text('a', mark), text('b', mark))])],
        [1, one],
      ],
      [
        [0, 2, 0],
        [1, 0, 0],
      ],
    ],
    [
      'a change at the front breaks everything',
      [
        [0, two],
        [1, request([user(text('A')), assistant(text('b')), user(text('c', mark))])],
      ],
      [
        [0, 3, 0],
        [0, 3, 0],
      ],
    ],
    [
      'tools and system come first',
      [
        [0, request([user(text('a', mark))], { system: [text('s', mark)] })],
        [1, request([user(text('b', mark))], { system: [text('s', mark)] })],
        [
          2,
          request([user(text('b', mark))], {
            system: [text('s', mark)],
            tools: [{ name: 't'.repeat(4000) }],
          }),
        ],
      ],
      [
        [0, 2, 0],
        [1, 1, 0],
        [0, 3, 0],
      ],
    ],
    [
      'the billing header does not count',
      [
        [0, request([user(text('a', mark))], { system: [text('x-anthropic-billing-header: 1'), text('s')] })],
        [1, request([user(text('a', mark))], { system: [text('x-anthropic-billing-header: 2'), text('s')] })],
      ],
      [
        [0, 2, 0],
        [2, 0, 0],
      ],
    ],
    [
      'a text in one piece is one block',
      [
        [0, one],
        [1, request([{ role: 'user', content: 'a'.padEnd(4000, '.') }, user(text('b', mark))])],
      ],
      [
        [0, 1, 0],
        [1, 1, 0],
      ],
    ],
    [
      'models do not share',
      [
        [0, one],
        [1, request([user(text('a', mark))], { model: 'n' })],
      ],
      [
        [0, 1, 0],
        [0, 1, 0],
      ],
    ],
    [
      'an entry lives for five minutes',
      [
        [0, one],
        [5 * minute - 1, one],
      ],
      [
        [0, 1, 0],
        [1, 0, 0],
      ],
    ],
    [
      'and then is gone',
      [
        [0, one],
        [5 * minute, one],
      ],
      [
        [0, 1, 0],
        [0, 1, 0],
      ],
    ],
    [
      'reading renews it',
      [
        [0, one],
        [4 * minute, one],
        [8 * minute, one],
      ],
      [
        [0, 1, 0],
        [1, 0, 0],
        [1, 0, 0],
      ],
    ],
    [
      'an hour is an hour',
      [
        [0, request([user(text('a', hourMark))])],
        [59 * minute, one],
      ],
      [
        [0, 1, 0],
        [1, 0, 0],
      ],
    ],
    [
      'a five minute breakpoint does not shorten an hour',
      [
        [0, request([user(text('a', hourMark))])],
        [1, one],
        [50 * minute, one],
      ],
      [
        [0, 1, 0],
        [1, 0, 0],
        [1, 0, 0],
      ],
    ],
    [
      'an entry is found at most 20 places before, the breakpoint counted',
      [
        [0, request([user(text('a', mark))])],
        [1, request([user(text('a'), ...Array(18).fill(text('b')), text('c', mark))])],
        [2, request([user(text('a'), ...Array(19).fill(text('d')), text('e', mark))])],
      ],
      [
        [0, 1, 0],
        [1, 19, 0],
        [0, 21, 0],
      ],
    ],
    [
      'tools that are used at once are one place, and so are their results',
      [
        [0, request([user(text('a', mark))])],
        [1, request([user(text('a')), assistant(...twelve(use)), user(...twelve(result), text('b', mark))])],
      ],
      [
        [0, 1, 0],
        [1, 25, 0],
      ],
    ],
  ])('%s', (_, steps, expected) => {
    expect(book(steps)).toEqual(expected)
  })

  it('tell what is stored for five minutes from what is stored for an hour', () => {
    const { usage } = bookRequest([], request([user(text('a', hourMark), text('b', mark))]), 0)
    const { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: short } = usage.cache_creation
    expect([Math.floor(hour / 1000), Math.floor(short / 1000)]).toEqual([1, 1])
    expect(hour + short).toBe(usage.cache_creation_input_tokens)
  })

  it('store nothing that is shorter than the provider caches', () => {
    const all = inputTokens(two)
    expect(bookRequest([], two, 0, all).usage.cache_creation_input_tokens).toBe(all)
    const short = bookRequest([], two, 0, all + 1)
    expect(short.usage).toMatchObject({ input_tokens: all, cache_creation_input_tokens: 0 })
    expect(short.entries).toEqual([])
  })

  it('forget what has expired', () => {
    const first = bookRequest([], two, 0)
    expect(first.entries).toHaveLength(1)
    expect(bookRequest(first.entries, request([user(text('x'))]), 400_000).entries).toEqual([])
  })

  it('add up to all tokens of every request', () => {
    const block = fc.record({
      type: fc.constant('text'),
      text: fc.constantFrom('a', 'b', 'c'),
      cache_control: fc.constantFrom(undefined, mark.cache_control, hourMark.cache_control),
    })
    const requests = fc.array(fc.array(block, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(requests, (list) => {
        let entries: readonly CacheEntry[] = []
        for (const content of list) {
          const each = request([{ role: 'user', content }])
          const booked = bookRequest(entries, each, 0)
          entries = booked.entries
          const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = booked.usage
          expect(input_tokens + cache_read_input_tokens + cache_creation_input_tokens).toBe(inputTokens(each))
          expect(
            Math.min(input_tokens, cache_read_input_tokens, cache_creation_input_tokens),
          ).toBeGreaterThanOrEqual(0)
          expect(bookRequest(entries, each, 0).usage.cache_creation_input_tokens).toBe(0)
        }
      }),
    )
  })
})
