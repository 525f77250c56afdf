import { describe, expect, it } from 'vitest'
import { chooseReads } from '../../src/transcript/reads.ts'
import { relink } from '../../src/transcript/relink.ts'
import { scanBytes } from '../../src/transcript/scan.ts'
import { select } from '../../src/transcript/select.ts'
import { type Expectation, type Rule, rules, verify } from '../../src/transcript/verify.ts'
import { finishedRun } from '../helpers/session.ts'

type Line = Record<string, unknown>

/** What a good trim of a run with two kept reads writes, and what is expected of it. */
const good = ((): { readonly lines: readonly Buffer[]; readonly expected: Expectation } => {
  const stored = finishedRun({ '/p/a.ts': 'alpha', '/p/b.ts': 'beta' }).bytes()
  const found = scanBytes(stored, { cwd: '/p', wants: () => true })
  const match = (path: string) => [{ entry: path, exact: true }]
  const { reads } = chooseReads(found.entries, found.chain, [], match, (path) => path)
  const kept = reads.map((read) => ({ ...read, notBefore: 0 }))
  const plan = select(found, kept)
  if (typeof plan === 'string') throw new Error(plan)
  const lines = relink(
    plan,
    plan.map(({ source: { offset, length } }) => stored.subarray(offset, offset + length)),
  )
  return { lines: lines.map(({ bytes }) => bytes), expected: { lines, reads: kept } }
})()

const join = (lines: readonly Buffer[]) => Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]))

/** The rules that find something wrong in the good lines after `plant`. */
const broken = (plant: (lines: Line[]) => readonly Line[], expected = good.expected): ReadonlySet<Rule> => {
  const planted = plant(good.lines.map((line) => JSON.parse(line.toString())))
  const bytes = join(planted.map((line) => Buffer.from(JSON.stringify(line))))
  return new Set(verify(bytes, expected).map(({ rule }) => rule))
}

const indexOf = (lines: readonly Line[], part: string) =>
  lines.findIndex((line) => JSON.stringify(line).includes(part))
const edit = (part: string, change: (line: Line) => Line) => (lines: Line[]) =>
  lines.map((line, index) => (index === indexOf(lines, part) ? change(line) : line))
const withContent = (line: Line, content: unknown): Line => ({
  ...line,
  message: { ...(line['message'] as Line), content },
})
const without = (part: string) => (lines: Line[]) =>
  lines.filter((_, index) => index !== indexOf(lines, part))
const add = (line: Line) => (lines: Line[]) => [...lines, line]

describe('the last look before the write', () => {
  it('finds nothing wrong with a good trim', () => {
    expect(verify(join(good.lines), good.expected)).toEqual([])
  })

  const faults: readonly (readonly [string, Rule, (lines: Line[]) => readonly Line[]])[] = [
    [
      'a uuid that stands twice',
      'unique-uuids',
      (lines) => edit('All done.', (line) => ({ ...line, uuid: lines[1]?.['uuid'] }))(lines),
    ],
    ['a record without uuid', 'unique-uuids', edit('All done.', ({ uuid, ...line }) => line)],
    [
      'a parent that is not there',
      'one-chain',
      edit('"id":"r2"', (line) => ({ ...line, parentUuid: 'gone' })),
    ],
    [
      'a cycle',
      'one-chain',
      (lines) => edit('"id":"r1"', (line) => ({ ...line, parentUuid: lines.at(-2)?.['uuid'] }))(lines),
    ],
    ['a second root', 'one-chain', edit('"id":"r1"', (line) => ({ ...line, parentUuid: null }))],
    [
      'a first record that hangs on another',
      'one-chain',
      edit('Do the task', (line) => ({ ...line, parentUuid: 'gone' })),
    ],
    ['a lost record', 'one-chain', without('skill_listing')],
    [
      'equal timestamps',
      'time',
      (lines) => edit('All done.', (line) => ({ ...line, timestamp: lines.at(-3)?.['timestamp'] }))(lines),
    ],
    ['a record without time', 'time', edit('All done.', ({ timestamp, ...line }) => line)],
    ['a use without result', 'pairs', without('"tool_use_id":"r1"')],
    ['a result without use', 'pairs', without('"id":"r1"')],
    [
      'a result before its use',
      'pairs',
      (lines) => [...lines].sort((a) => (JSON.stringify(a).includes('"tool_use_id":"r1"') ? -1 : 0)),
    ],
    [
      'an answer without message id',
      'pairs',
      edit('"id":"r1"', (line) => {
        const { id, ...message } = line['message'] as Line
        return { ...line, message }
      }),
    ],
    ['a use that stands twice', 'pairs', (lines) => [...lines, lines[indexOf(lines, '"id":"r1"')] ?? {}]],
    [
      'thinking',
      'thinking',
      edit('All done.', (line) => withContent(line, [{ type: 'thinking', thinking: 'hm' }])),
    ],
    [
      'redacted thinking',
      'thinking',
      edit('All done.', (line) => withContent(line, [{ type: 'redacted_thinking', data: 'x' }])),
    ],
    [
      'usage',
      'usage',
      edit('All done.', (line) => ({
        ...line,
        message: { ...(line['message'] as Line), usage: { a: { b: 985_000 } } },
      })),
    ],
    ['no text at the end', 'ending', without('All done.')],
    ['a pointer to a branch', 'branches', add({ type: 'last-prompt', leafUuid: 'x' })],
    [
      'the boundary of a compaction',
      'branches',
      edit('skill_listing', (line) => ({ ...line, type: 'system', subtype: 'compact_boundary' })),
    ],
    ['a side chain', 'branches', edit('skill_listing', (line) => ({ ...line, isSidechain: true }))],
    [
      'a kept file whose result is a stub',
      'reads',
      edit('"tool_use_id":"r1"', (line) =>
        withContent(line, [
          { type: 'tool_result', tool_use_id: 'r1', content: 'File unchanged since last read.' },
        ]),
      ),
    ],
    [
      'a kept file whose result is an error',
      'reads',
      edit('"tool_use_id":"r1"', (line) =>
        withContent(line, [{ type: 'tool_result', tool_use_id: 'r1', content: 'x', is_error: true }]),
      ),
    ],
    [
      'a changed text',
      'untouched',
      edit('All done.', (line) => withContent(line, [{ type: 'text', text: 'All wrong.' }])),
    ],
    [
      'a changed attachment',
      'untouched',
      edit('skill_listing', (line) => ({ ...line, attachment: { type: 'skill_listing', text: 'other' } })),
    ],
    ['a lost key', 'untouched', edit('All done.', ({ cwd, ...line }) => line)],
    ['a changed note', 'untouched', edit('cost-state', (line) => ({ ...line, totalCostUSD: 0 }))],
  ]
  it.each(faults)('finds %s', (_, rule, plant) => {
    expect(broken(plant)).toContain(rule)
  })

  it('is shown to find a fault of every rule but `lines`, whose faults stand below', () => {
    const planted = new Set(faults.map(([, rule]) => rule))
    expect(rules.filter((rule) => !planted.has(rule))).toEqual(['lines'])
  })

  it('finds a stale text where the text of now should be', () => {
    const now = { text: '1\tALPHA', content: 'ALPHA', numLines: 1, totalLines: 1 }
    const reads = good.expected.reads.map((read) => (read.path === '/p/a.ts' ? { ...read, now } : read))
    expect(broken((lines) => lines, { ...good.expected, reads })).toContain('reads')
  })

  it.each([
    ['a torn line', (bytes: Buffer) => bytes.subarray(0, -40)],
    ['a missing newline at the end', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['a line that is no record', (bytes: Buffer) => Buffer.concat([Buffer.from('[]\n'), bytes])],
  ])('finds %s', (_, plant) => {
    expect(verify(plant(join(good.lines)), good.expected)).toMatchObject([{ rule: 'lines' }])
  })
})
