import { describe, expect, it } from 'vitest'
import { type Json, opening, readUse, session, text, thinking, use } from '../helpers/session.ts'
import { outline, recordsOf, reportOf, workplace } from './workplace.ts'

// Each case is the smallest session that shows what a public report is about, and what a trim makes of it. Numbers without a
// repository are issues of anthropics/claude-code.

const place = async () => {
  const made = await workplace()
  made.write('a.ts', 'alpha')
  const story = session({ cwd: made.cwd })
  opening(story)
  const read = () => story.read('r1', made.path('a.ts'), 'alpha')
  const done = async (keep: readonly string[] = ['a.ts'], ending = '\n') => {
    made.store(story.bytes(ending))
    const report = reportOf(await made.trim(keep))
    return { report, text: made.bytes().toString('utf8'), records: made.records() }
  }
  return { ...made, story, read, done }
}

const expectKept = ({
  report,
  text,
}: {
  readonly report: { readonly paths: readonly unknown[] }
  readonly text: string
}) => {
  expect(report.paths).toHaveLength(1)
  expect(text).toContain('alpha')
}

const last = (records: readonly Json[]) =>
  outline(records)
    .filter((line) => line.startsWith('assistant'))
    .at(-1)

describe('huge sessions', () => {
  it('#24457, #22040: a chain of 20,000 links is walked in one go', async () => {
    const at = await place()
    at.read()
    for (let n = 0; n < 10_000; n++) {
      at.story.answer([use(`b${n}`, 'Bash', { command: 'true' })])
      at.story.result(`b${n}`, 'ok')
    }
    at.story.answer([text('Done.')])
    const began = performance.now()
    expectKept(await at.done())
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  it('#23373: progress and sidechains that dominate go', async () => {
    const at = await place()
    at.read()
    for (let n = 0; n < 100; n++) at.story.record('progress', { data: { type: 'hook_progress' } })
    at.story.record('user', { message: { role: 'user', content: 'for a subagent' } }, { isSidechain: true })
    at.story.answer([text('Done.')])
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(trimmed.text).not.toMatch(/hook_progress|for a subagent/)
  })

  it('#27505, #92089: of the history that each compaction copies again, only the newest summary stays', async () => {
    const at = await place()
    for (let n = 0; n < 20; n++) {
      at.story.answer([use(`b${n}`, 'Bash', { command: 'x' })])
      at.story.result(`b${n}`, 'ok')
      const logicalParentUuid = at.story.parent()
      at.story.record('system', { subtype: 'compact_boundary' }, { parentUuid: null, logicalParentUuid })
      at.story.record('user', { isCompactSummary: true, message: { role: 'user', content: `Summary ${n}.` } })
    }
    at.read()
    at.story.answer([text('Done.')])
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(trimmed.text.match(/Summary \d+\./g)).toEqual(['Summary 19.'])
    expect(trimmed.text).not.toContain('compact_boundary')
  })

  it('#21067, #22132: a result of 675 KB goes, its copy too', async () => {
    const at = await place()
    at.read()
    at.story.answer([use('b1', 'Bash', { command: 'cat big' })])
    at.story.result('b1', 'x'.repeat(675_000), {}, { toolUseResult: { stdout: 'x'.repeat(675_000) } })
    at.story.answer([text('Done.')])
    const { report } = await at.done()
    expect(report.bytes.after).toBeLessThan(20_000)
  })
})

describe('damage', () => {
  it('#27472: U+2028, U+2029 and U+0085 part no lines', async () => {
    const at = await place()
    at.write('a.ts', 'al\u2028p\u2029h\u0085a')
    at.story.read('r1', at.path('a.ts'), 'al\u2028p\u2029h\u0085a')
    at.story.answer([text('Done.')])
    const { text: after, report } = await at.done()
    expect(after).toContain('al\u2028p\u2029h\u0085a')
    expect(report.damage).toEqual([])
  })

  it.each([
    ['#22526, #24304: a parent that is not there', (uuid: string) => `${uuid.slice(0, -4)}ffff`],
    ['changelog 2.1.108: a record that is its own parent', (uuid: string) => uuid],
  ])('%s hides nothing that stands before it', async (_report, parentOf) => {
    const at = await place()
    at.read()
    const own = '00000000-0000-4000-8000-00000000abcd'
    at.story.record(
      'user',
      { message: { role: 'user', content: 'go on' } },
      { uuid: own, parentUuid: parentOf(own) },
    )
    at.story.answer([text('Done.')])
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(last(trimmed.records)).toContain('Done.')
  })

  it('changelog 2.1.30: a cycle of parents does not hang', async () => {
    const at = await place()
    const prompt = at.story.parent()
    at.read()
    at.story.answer([text('Done.')])
    const lines = at.story.bytes().toString('utf8').split('\n')
    const index = lines.findIndex(
      (line) => line.includes('Do the task') && line.includes('"parentUuid":null'),
    )
    lines[index] = (lines[index] ?? '').replace('"parentUuid":null', `"parentUuid":"${at.story.parent()}"`)
    expect(prompt).not.toBe(null)
    at.store(lines.join('\n'))
    const result = await at.trim(['a.ts'])
    expect(['applied', 'refused']).toContain(result.status)
  })

  it('#46603, #61188: the leaf is the last answer, not one on a branch that was left', async () => {
    const at = await place()
    const fork = at.story.parent()
    at.story.answer([text('An answer that was rewound.')])
    at.story.hangOn(fork)
    at.read()
    at.story.answer([text('Done.')])
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(trimmed.text).not.toContain('rewound')
  })

  it('#40027: what a compaction names as its logical parent is never followed', async () => {
    const at = await place()
    at.read()
    at.story.record(
      'system',
      { subtype: 'compact_boundary' },
      { parentUuid: null, logicalParentUuid: '00000000-0000-4000-8000-00000000dead' },
    )
    at.story.record('user', { isCompactSummary: true, message: { role: 'user', content: 'Summary.' } })
    at.story.answer([text('Done.')])
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(trimmed.report.damage).toEqual([])
    expect(trimmed.text).not.toContain('dead')
  })

  it('#36583: a snapshot whose messageId is the uuid of an answer is no second record', async () => {
    const at = await place()
    at.read()
    at.story.answer([text('Done.')])
    at.story.note('file-history-snapshot', { messageId: at.story.parent(), snapshot: {} })
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(trimmed.report.damage).toEqual([])
  })
})

describe('uses and results', () => {
  it.each([
    ['#473, #8763, #21102: a use that a text follows instead of its result', true],
    ['anthropics/claude-agent-sdk-python#631, #54638: a use that a kill left as the last line', false],
  ])('%s goes', async (_report, goesOn) => {
    const at = await place()
    at.read()
    at.story.answer([text('So far.'), use('lost', 'Bash', { command: 'sleep 9' })])
    if (goesOn) {
      at.story.record('user', { message: { role: 'user', content: 'go on' } })
      at.story.answer([text('Done.')])
    }
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(trimmed.text).not.toContain('"lost"')
    expect(last(trimmed.records)).toContain(goesOn ? 'Done.' : 'So far.')
  })
})

describe('thinking', () => {
  it.each([
    [
      'zed-industries/zed#63571, pydantic/pydantic-ai#7989: bound to what was before it (#12946, #13391: and not to be parted from its answer)',
      thinking('deep'),
    ],
    [
      '#63147, #63475, #63410: hollow, with a signature only',
      { type: 'thinking', thinking: '', signature: 'c2ln' },
    ],
    [
      '#66204, #71111, #19460: signed for another model',
      { type: 'thinking', thinking: 'x', signature: 'b3RoZXI=' },
    ],
    ['redacted', { type: 'redacted_thinking', data: 'AAAA' }],
  ])('%s: goes, all of it', async (_report, block) => {
    const at = await place()
    at.story.answer([block, readUse('r1', at.path('a.ts'))])
    at.story.content('r1', at.path('a.ts'), 'alpha')
    at.story.answer([block, text('Done.')])
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(trimmed.text).not.toContain('thinking"')
  })

  it('#12169, anomalyco/opencode#6176: no open tool loop is left that would have to begin with thinking', async () => {
    const at = await place()
    at.read()
    const trimmed = await at.done()
    expectKept(trimmed)
    expect(
      outline(trimmed.records)
        .filter((line) => !line.startsWith('attachment'))
        .at(-1),
    ).toMatch(/^(assistant|cost)/)
  })

  it('Tarquinen/opencode-dynamic-context-pruning#373: no block is edited', async () => {
    const at = await place()
    at.read()
    at.story.answer([text('Done.')])
    const before = recordsOf(at.story.bytes())
    const { records } = await at.done()
    const blocks = (all: readonly Json[]) =>
      all.map((record) => JSON.stringify((record['message'] as Json | undefined)?.['content']))
    const known = new Set(blocks(before))
    expect(blocks(records).filter((block) => !known.has(block))).toEqual([])
  })
})

describe('cache and context', () => {
  it('#70651, #36751: usage figures that would set off a compaction are zero', async () => {
    const at = await place()
    at.read()
    at.story.answer([text('Done.')])
    const { records } = await at.done()
    const usages = records
      .map((record) => (record['message'] as Json | undefined)?.['usage'] as Json | undefined)
      .filter((each) => each !== undefined)
    expect(usages.length).toBeGreaterThan(0)
    for (const usage of usages)
      expect(Object.values(usage).filter((value) => typeof value === 'number' && value !== 0)).toEqual([])
  })

  it('#93490, #91971, #83367, #82017: attachments, the list of skills among them, stay byte for byte and in order, so that the provider finds them in its cache (#34629, #42338, #67497)', async () => {
    const at = await place()
    at.read()
    at.story.answer([text('Done.')])
    const attachments = (all: readonly Json[]) =>
      all.filter(({ type }) => type === 'attachment').map(({ attachment }) => JSON.stringify(attachment))
    const before = attachments(recordsOf(at.story.bytes())).filter((each) => !/snapshot|reminder/.test(each))
    const { records } = await at.done()
    expect(attachments(records).filter((each) => !/snapshot|reminder/.test(each))).toEqual(before)
  })
})
