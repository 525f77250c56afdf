import { execFile } from 'node:child_process'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { Account } from '../../scripts/bench/cost/books.ts'
import { openBooks } from '../../scripts/bench/cost/books.ts'
import { goals } from '../../scripts/bench/cost/goals.ts'
import { makeJob } from '../../scripts/bench/cost/job.ts'
import { floorOf } from '../../scripts/bench/cost/late.ts'
import type { Run, Strategy } from '../../scripts/bench/cost/strategies.ts'
import { figure } from '../../scripts/bench/cost/tables.ts'
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
    [['cost', '--share', '20'], '--share needs a share of one, such as 0.2, not `20`.\n'],
    [['cost', '--lifetime', '2h'], '--lifetime needs 5m or 1h, not `2h`.\n'],
    [['start', '--share', '0.2'], 'The bench `start` takes no --share.\n'],
    [['loop', '--iterations', '3'], 'The bench `loop` needs 4 iterations or more.\n'],
    [
      ['start', '--json', '/nonexistent/figures.json'],
      "--json cannot be written: ENOENT: no such file or directory, open '/nonexistent/figures.json'\n",
    ],
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
  head: 0,
  ownRead: 0,
})

const run = (strategy: Strategy, early: number, late: number, repeat = 0): Run => ({
  strategy,
  share: 0.2,
  pause: 4,
  repeat,
  accounts: Array.from({ length: 12 }, (_, n) => account(n < 9 ? early : late)),
  compactions: 0,
  refused: 0,
  rereads: 0,
  floors: Array.from({ length: 12 }, () => ({
    any: late * 0.01e-6,
    ofTurns: late * 0.02e-6,
    ofNeeds: late * 0.03e-6,
  })),
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
      { holds: false, worst: 0.516, fails: ['20 % kept, 4 min (0.516, least possible 0.211)'] },
      { holds: true, worst: 0.245, fails: [] },
    ])
  })

  it('hold in the worst repeat', () => {
    const repeat = (n: number, own: number) => [
      run('fresh', 100, 100, n),
      run('resume', 100, 300, n),
      run('resume, 1M window', 100, 400, n),
      run('trim (default)', own, 100, n),
    ]
    expect(goals([[...repeat(0, 90), ...repeat(1, 110)]])[0]).toMatchObject({ holds: false, worst: 1.075 })
  })
})

describe('what nobody can save', () => {
  const one = {
    ...account(5_000),
    tokens: { input: 0, write5m: 1_000, write1h: 0, read: 5_000, output: 100 },
    calls: 2,
    head: 4_000,
    ownRead: 500,
  }

  it('is output, what is new, and the reads of system and tools; between turns also those of the turn itself and of what it needs', () => {
    const { any, ofTurns, ofNeeds } = floorOf(one, 300, false)
    expect(any).toBeCloseTo((100 * 15 + 1_000 * 3.75 + 4_000 * 0.3) / 1e6, 12)
    expect(ofTurns - any).toBeCloseTo((500 * 0.3) / 1e6, 12)
    expect(ofNeeds - ofTurns).toBeCloseTo((2 * 300 * 0.3) / 1e6, 12)
  })

  it('is more when the provider has forgotten system and tools', () => {
    const [cold, warm] = [floorOf(one, 300, true), floorOf(one, 300, false)]
    expect(cold.any - warm.any).toBeCloseTo((2_000 * 3.45) / 1e6, 12)
    expect(cold.ofNeeds - warm.ofNeeds).toBeCloseTo((2_300 * 3.45) / 1e6, 12)
  })
})

describe('a figure of several repeats', () => {
  it('is their median with the least and the most', () => {
    expect(figure([3, 1, 2], String)).toBe('2 (1 to 3)')
    expect(figure([2, 2], String)).toBe('2')
    expect(figure([2, Number.NaN], String)).toBe('')
  })
})

describe('the job', () => {
  it('has other sizes with another seed, and the same with the same', () => {
    const sizes = (seed: number) => makeJob(2, 0.2, seed).files.map(({ bytes }) => bytes)
    expect(sizes(1)).toEqual(sizes(1))
    expect(sizes(1)).not.toEqual(sizes(2))
    expect([...sizes(1), ...sizes(2)].every((bytes) => bytes >= 1_000 && bytes <= 20_000)).toBe(true)
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
