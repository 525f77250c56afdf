import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashText } from '../../src/transcript/key-hash.ts'
import { lineProbe } from '../../src/transcript/probe.ts'
import { type Block, session, text, thinking, use } from '../helpers/session.ts'

/** Text that looks like the structure of a record. */
const tricky = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '{"parentUuid":null,"isSidechain":false,"type":"user"',
    '}{"type":"mode"}',
    '","uuid":"00000000-0000-4000-8000-000000000099","timestamp":"',
    '"tool_use_id":"wanted"',
    '\\"type\\":\\"text\\"',
    '[{"type":"tool_result"',
    '"name":"Read"',
    'C:\\new\\"dir\\',
  ),
)
const input = fc.dictionary(
  fc.constantFrom('uuid', 'timestamp', 'name', 'type', 'tool_use_id', 'command'),
  tricky,
)

const block: fc.Arbitrary<Block> = fc.oneof(
  tricky.map(thinking),
  tricky.map(text),
  fc
    .tuple(fc.uuid(), fc.constantFrom('Bash', 'Grep', 'Read', 'mcp__x__Read'), input)
    .map(([id, name, fields]) => use(id, name, fields)),
)

const line: fc.Arbitrary<string> = fc
  .record({
    block,
    tricky,
    kind: fc.constantFrom('answer', 'result', 'prompt', 'attachment', 'note', 'aside'),
  })
  .map(({ block, tricky, kind }) => {
    const story = session()
    story.prompt('before')
    if (kind === 'answer') story.answer([block])
    else if (kind === 'result')
      story.result(String(block['id'] ?? 'x'), tricky, {}, { toolUseResult: { stdout: tricky } })
    else if (kind === 'prompt') story.prompt(tricky)
    else if (kind === 'attachment') story.attachment('task_reminder', { content: tricky })
    else if (kind === 'aside') story.record('system', { subtype: 'local_command', content: tricky })
    else story.note('last-prompt', { lastPrompt: tricky, leafUuid: story.parent() })
    return String(story.lines().at(-1))
  })

const context = {
  wantedUses: new Set([hashText('wanted').low]),
  isAnswered: () => true,
  wantsPath: () => false,
}

const looked = (bytes: string) => {
  const probe = lineProbe(context)
  const buffer = Buffer.from(`${bytes}\n${bytes}\n`)
  const length = Buffer.byteLength(bytes)
  probe(buffer, 0, length)
  return probe(buffer, length + 1, 2 * length + 1)
}

describe('a look at a line that is not parsed', () => {
  it('tells the same as parsing, whatever the texts in it look like', () => {
    fc.assert(
      fc.property(line, (bytes) => {
        const { verdict, label, link, isText } = looked(bytes)
        const record = JSON.parse(bytes)
        if (verdict === 'parse') return
        expect(label).toBe(
          record.type === 'attachment' ? `attachment:${record.attachment.type}` : record.type,
        )
        if (verdict === 'dropped') return
        expect({ low: link.low, high: link.high }).toEqual(hashText(record.uuid))
        expect({ low: link.parentLow, high: link.parentHigh }).toEqual(hashText(record.parentUuid))
        if (record.type === 'assistant') expect(isText).toBe(record.message.content[0].type === 'text')
      }),
      { numRuns: 3000 },
    )
  })

  const story = session()
  const lineOf = (write: () => unknown) => {
    write()
    return String(story.lines().at(-1))
  }
  it.each([
    ['a result', () => story.result('other', 'x'), 'link'],
    ['a command', () => story.answer([use('b', 'Bash', { command: 'x' })]), 'link'],
    ['a Read that is not wanted', () => story.answer([use('r', 'Read', { file_path: '/x' })]), 'link'],
    ['a text', () => story.answer([text('x')]), 'link'],
    ['a spent reminder', () => story.attachment('task_reminder', { content: 'x' }), 'link'],
    ['bookkeeping', () => story.note('last-prompt', { leafUuid: 'x' }), 'dropped'],
    ['a wanted result', () => story.result('wanted', 'x'), 'parse'],
    ['a prompt', () => story.prompt('x'), 'parse'],
    ['a record of a subagent', () => story.prompt('x', { isSidechain: true }), 'parse'],
    ['an unknown record', () => story.record('new', {}), 'parse'],
  ] as const)('knows %s', (_, write, verdict) => {
    expect(looked(lineOf(write)).verdict).toBe(verdict)
  })

  it.each([
    ['cut off', (bytes: string) => bytes.slice(0, -5)],
    ['followed by another record', (bytes: string) => `${bytes}{"type":"cost-state"}`],
    ['torn, with a record behind', (bytes: string) => `${bytes.slice(0, 200)}${bytes}`],
  ])('leaves a line that is %s to parsing', (_, damage) => {
    expect(looked(damage(lineOf(() => story.result('other', 'x'.repeat(300))))).verdict).toBe('parse')
  })
})
