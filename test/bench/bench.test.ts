import { execFile } from 'node:child_process'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { Account } from '../../scripts/bench/cost/books.ts'
import { openBooks } from '../../scripts/bench/cost/books.ts'
import { goals } from '../../scripts/bench/cost/goals.ts'
import type { Run, Strategy } from '../../scripts/bench/cost/strategies.ts'
import { watchPrefix } from '../../scripts/bench/prefix/watch.ts'
import { MessagesRequestSchema } from '../../src/probe/messages-request.ts'

const root = join(import.meta.dirname, '..', '..')

const bench = (...args: readonly string[]) =>
  new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = execFile(
      join(root, 'node_modules', 'bun', 'bin', 'bun.exe'),
      [join(root, 'scripts', 'bench.ts'), ...args],
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

describe('scripts/bench.ts', () => {
  it('names the benches, one a line', async () => {
    const { code, stdout } = await bench('--help')
    expect(code).toBe(0)
    for (const name of ['cost', 'prefix', 'trim', 'loop', 'idle', 'start'])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'))
  })

  it.each([
    [['nonsense'], 'There is no bench `nonsense`: name one of cost, prefix, trim, loop, idle, start.\n'],
    [[], 'Name a bench: name one of cost, prefix, trim, loop, idle, start.\n'],
    [['cost', '--share', 'much'], '--share needs a number over zero, not `much`.\n'],
    [['cost', '--repeats', '1.5'], '--repeats needs a whole number, not `1.5`.\n'],
  ])('refuses %j in one sentence', async (args, stderr) => {
    expect(await bench(...args)).toEqual({ code: 2, stdout: '', stderr })
  })
})

const account = (read: number): Account => ({
  tokens: { input: 0, write5m: 0, write1h: 0, read, output: 0 },
  calls: 1,
  contextAtStart: read,
  cachedAtStart: 1,
  peak: read,
})

const run = (strategy: Strategy, early: number, late: number): Run => ({
  strategy,
  share: 0.2,
  pause: 4,
  repeat: 0,
  accounts: Array.from({ length: 12 }, (_, n) => account(n < 9 ? early : late)),
  compactions: 0,
  refused: 0,
  rereads: 0,
})

describe('the goals of the default', () => {
  it('hold against the cheapest of the others, and from the tenth iteration on', () => {
    const setting = [
      run('fresh', 100, 100),
      run('resume', 100, 190),
      run('resume, 1M window', 100, 400),
      run('trim (default)', 90, 98),
    ]
    expect(goals([setting]).map(({ holds, worst, fails }) => ({ holds, worst, fails }))).toEqual([
      { holds: true, worst: 0.92, fails: [] },
      { holds: false, worst: 0.516, fails: ['20 % kept, 4 min (0.516)'] },
      { holds: true, worst: 0.245, fails: [] },
    ])
  })
})

describe('what was sent before', () => {
  const request = (...texts: readonly string[]) =>
    v.parse(MessagesRequestSchema, {
      model: 'claude-sonnet-4-5',
      max_tokens: 1,
      system: 'You help.',
      messages: texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
    })

  it('is the longest beginning in whole blocks that any earlier request has', () => {
    const books = openBooks(0)
    const watch = watchPrefix(books)
    for (const texts of [
      ['a', 'b', 'c'],
      ['a', 'x'],
      ['a', 'b', 'd', 'c'],
    ]) {
      watch.books.startIteration()
      watch.books.book(request(...texts), 'Done.', false)
      watch.books.book(request(...texts, 'more'), 'Done.', false)
    }
    const bytes = (text: string) => JSON.stringify(['user', { type: 'text', text }]).length
    const [first, second, third] = watch.starts
    expect(watch.starts).toHaveLength(3)
    expect(first).toMatchObject({ sentBefore: 0 })
    expect(second).toMatchObject({ sentBefore: (second?.head ?? 0) + bytes('a') })
    expect(third).toMatchObject({ sentBefore: (third?.head ?? 0) + bytes('a') + bytes('b') })
    expect(third?.bytes).toBe((third?.head ?? 0) + 4 * bytes('a'))
  })
})
