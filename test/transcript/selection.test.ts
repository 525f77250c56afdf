import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { numbered, opening, readUse, session, text, thinking, use } from '../helpers/session.ts'
import { outline, reportOf, workplace } from './workplace.ts'

const conversation = (place: Awaited<ReturnType<typeof workplace>>) =>
  outline(place.records()).filter((line) => !line.startsWith('attachment') && !line.startsWith('cost'))

const place = async (files: Readonly<Record<string, string>>) => {
  const made = await workplace()
  for (const [name, content] of Object.entries(files)) made.write(name, content)
  const story = session({ cwd: made.cwd })
  opening(story)
  return { ...made, story, finish: () => made.store(story.bytes()) }
}

describe('which reads stay', () => {
  it.each([
    ['a relative path', 'src/a.ts'],
    ['a path with ./', './src/a.ts'],
    ['a path with ..', 'src/../src/a.ts'],
    ['a glob', 'src/**'],
    ['a glob with braces', 'src/{a,b}.ts'],
    ['a folder', 'src'],
    ['a folder with a slash', 'src/'],
  ])('are named by %s', async (_, entry) => {
    const at = await place({ 'src/a.ts': 'alpha', 'other.ts': 'other' })
    at.story.read('r1', at.path('src/a.ts'), 'alpha')
    at.story.read('r2', at.path('other.ts'), 'other')
    at.story.answer([text('Done.')])
    at.finish()
    const report = reportOf(await at.trim([entry]))
    expect(report.paths.map(({ path }) => path)).toEqual([at.path('src/a.ts')])
    expect(report.unmatched).toEqual([])
  })

  it('are named by an absolute path, with white space and what looks like a glob', async () => {
    const at = await place({ 'app/[id]/my page.tsx': 'x' })
    const path = at.path('app/[id]/my page.tsx')
    at.story.read('r1', path, 'x')
    at.story.answer([text('Done.')])
    at.finish()
    expect(reportOf(await at.trim([path], { dryRun: true })).paths).toHaveLength(1)
    expect(reportOf(await at.trim(['app/[id]/my page.tsx'])).paths).toHaveLength(1)
  })

  it('are compared without regard to how accents are composed', async () => {
    const at = await place({ 'cafe\u0301.md': 'x' })
    at.story.read('r1', at.path('cafe\u0301.md'), 'x')
    at.story.answer([text('Done.')])
    at.finish()
    expect(reportOf(await at.trim(['caf\u00e9.md'])).paths).toHaveLength(1)
  })

  it('are found through symbolic links, from either side', async () => {
    const at = await place({ 'real/a.ts': 'x', 'real/b.ts': 'y' })
    mkdirSync(join(at.folder, 'elsewhere'))
    symlinkSync(at.path('real'), at.path('link'))
    at.story.read('r1', at.path('link/a.ts'), 'x')
    at.story.read('r2', at.path('real/b.ts'), 'y')
    at.story.answer([text('Done.')])
    at.finish()
    const report = reportOf(await at.trim(['real/a.ts', 'link/b.ts']))
    expect(report.paths.map(({ path }) => path)).toEqual([at.path('link/a.ts'), at.path('real/b.ts')])
  })

  it('are the newest ones, one for each offset and limit', async () => {
    const at = await place({ 'a.ts': 'one\ntwo\nthree' })
    const path = at.path('a.ts')
    at.story.read('r1', path, 'one\ntwo\nthree')
    at.story.answer([readUse('r2', path, { offset: '2', limit: '1' })])
    at.story.content('r2', path, 'two', 2, 3)
    at.story.read('r3', path, 'one\ntwo\nthree')
    at.story.answer([text('Done.')])
    at.finish()
    const report = reportOf(await at.trim(['a.ts']))
    expect(report.paths).toMatchObject([{ ranges: [{ offset: 2, limit: 1 }, { offset: 1 }], state: 'fresh' }])
    expect(conversation(at)).toEqual([
      'user: Do the task',
      'assistant: use r2',
      'user: result r2',
      'assistant: use r3',
      'user: result r3',
      'assistant: Done.',
    ])
  })

  it.each([
    ['an error', 'File does not exist.', { is_error: true }],
    [
      'an "unchanged" stub (anthropics/claude-code#46749)',
      'File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current.',
      {},
    ],
    ['the newer stub', 'Wasted call — file unchanged since your last Read. Refer to that.', {}],
    ['a pointer to spilled output', '<persisted-output>\nOutput too large (106KB).\n</persisted-output>', {}],
    ['an empty result', '', {}],
    [
      'the warning for an empty file',
      '<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>',
      {},
    ],
  ])('go back to an older read where the newest is %s', async (_, content, more) => {
    const at = await place({ 'a.ts': 'alpha' })
    at.story.read('r1', at.path('a.ts'), 'alpha')
    at.story.answer([readUse('r2', at.path('a.ts'))])
    at.story.result('r2', content, more)
    at.story.answer([text('Done.')])
    at.finish()
    await at.trim(['a.ts'])
    expect(conversation(at)).toEqual([
      'user: Do the task',
      'assistant: use r1',
      'user: result r1',
      'assistant: Done.',
    ])
  })

  it('hold a picture only when an entry is its very name (anthropics/claude-code#85179, #34025, #66167)', async () => {
    const at = await place({ 'img/p.png': 'png' })
    const picture = [{ type: 'image', source: { type: 'base64', data: 'aGk=', media_type: 'image/png' } }]
    at.story.answer([readUse('r1', at.path('img/p.png'))])
    at.story.result('r1', picture, {}, { timestamp: '2999-01-01T00:00:00.000Z' })
    at.story.answer([text('Done.')])
    at.finish()
    expect(reportOf(await at.trim(['img/**', 'img'], { dryRun: true })).unmatched).toEqual(['img/**', 'img'])
    expect(reportOf(await at.trim(['img/p.png'])).paths).toHaveLength(1)
  })

  it('are not all of them for an empty entry, a negation or an endless one', async () => {
    const at = await place({ 'a.ts': 'alpha' })
    at.story.read('r1', at.path('a.ts'), 'alpha')
    at.story.answer([text('Done.')])
    at.finish()
    const report = reportOf(await at.trim(['', ' ', '!b.ts', '*'.repeat(70_000)]))
    expect(report.paths).toEqual([])
  })

  it('report an entry that names nothing that was read', async () => {
    const at = await place({ 'a.ts': 'alpha' })
    at.story.read('r1', at.path('a.ts'), 'alpha')
    at.story.answer([text('Done.')])
    at.finish()
    expect(reportOf(await at.trim(['a.ts', 'nowhere.md', 'b/**'])).unmatched).toEqual(['nowhere.md', 'b/**'])
  })

  it('are cut to one of a parallel group (anthropics/claude-code#18131)', async () => {
    const at = await place({ 'a.ts': 'alpha', 'b.ts': 'beta' })
    at.story.answer([
      thinking(),
      readUse('r1', at.path('a.ts')),
      use('g', 'Grep', {}),
      readUse('r2', at.path('b.ts')),
    ])
    at.story.content('r2', at.path('b.ts'), 'beta')
    at.story.result('g', 'none')
    at.story.content('r1', at.path('a.ts'), 'alpha')
    at.story.answer([text('Done.')])
    at.finish()
    await at.trim(['b.ts'])
    expect(conversation(at)).toEqual([
      'user: Do the task',
      'assistant: use r2',
      'user: result r2',
      'assistant: Done.',
    ])
  })

  it('are taken out of a line that holds a whole answer, as releases before 1.0.10 wrote it', async () => {
    const at = await place({ 'a.ts': 'alpha', 'b.ts': 'beta' })
    const whole = [
      thinking(),
      text('I read.'),
      readUse('r1', at.path('a.ts')),
      readUse('r2', at.path('b.ts')),
    ]
    const result = (id: string, content: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: numbered(content),
    })
    at.story.record('assistant', {
      message: { id: 'm', role: 'assistant', content: whole, usage: { input_tokens: 9 } },
    })
    at.story.record('user', {
      message: { role: 'user', content: [result('r1', 'alpha'), result('r2', 'beta')] },
    })
    at.finish()
    await at.trim(['b.ts'])
    expect(conversation(at)).toEqual([
      'user: Do the task',
      'assistant: use r2',
      'user: result r2',
      'assistant: I read.',
    ])
    const ids = at.records().flatMap((record) => (record['message'] as { id?: string } | undefined)?.id ?? [])
    expect(new Set(ids).size).toBe(2)
  })

  it('count as read what a compaction attached anew', async () => {
    const at = await place({ 'a.ts': 'alpha', 'b.ts': 'beta' })
    at.story.read('r1', at.path('a.ts'), 'alpha')
    at.story.answer([text('Before.')])
    const compacted = at.story.parent()
    at.story.record(
      'system',
      { subtype: 'compact_boundary', compactMetadata: { preservedMessages: { uuids: [compacted] } } },
      { parentUuid: null, logicalParentUuid: compacted },
    )
    at.story.record('user', { isCompactSummary: true, message: { role: 'user', content: 'The summary.' } })
    for (const [name, content] of [
      ['a.ts', 'alpha'],
      ['b.ts', 'beta'],
    ] as const)
      at.story.attachment(
        'file',
        {
          filename: at.path(name),
          content: {
            type: 'text',
            file: { filePath: at.path(name), content, numLines: 1, startLine: 1, totalLines: 1 },
          },
        },
        {
          rendered: [
            {
              content: `<system-reminder>\nResult of calling the Read tool:\n1\t${content}\n</system-reminder>`,
            },
          ],
        },
      )
    at.story.attachment('date', { text: 'date' })
    at.finish()
    at.write('a.ts', 'ALPHA')
    const report = reportOf(await at.trim(['a.ts']))
    expect(report.paths).toMatchObject([{ path: at.path('a.ts'), state: 'refreshed' }])
    expect(outline(at.records()).slice(-3)).toEqual([
      'user: The summary.',
      'attachment: file',
      'assistant: Before.',
    ])
    expect(at.bytes().toString()).toContain('Result of calling the Read tool:\\n1\\tALPHA\\n')
    expect(at.bytes().toString()).not.toContain('compact_boundary')
  })

  it('are found before a compaction that preserved messages (Ruya-AI/cozempic#59)', async () => {
    const at = await place({ 'a.ts': 'alpha' })
    at.story.read('r1', at.path('a.ts'), 'alpha')
    const preserved = at.story.parent()
    at.story.record(
      'system',
      {
        subtype: 'compact_boundary',
        compactMetadata: { preservedSegment: { headUuid: preserved, tailUuid: preserved } },
      },
      { parentUuid: null, logicalParentUuid: 'not-there' },
    )
    at.story.record('user', { isCompactSummary: true, message: { role: 'user', content: 'The summary.' } })
    at.story.answer([text('After.')])
    at.finish()
    await at.trim(['a.ts'])
    expect(conversation(at)).toEqual([
      'user: Do the task',
      'assistant: use r1',
      'user: result r1',
      'user: The summary.',
      'assistant: After.',
    ])
  })

  it('are those of the session, not of its subagents', async () => {
    const at = await place({ 'a.ts': 'alpha' })
    at.story.record(
      'assistant',
      { message: { id: 's', role: 'assistant', content: [readUse('r1', at.path('a.ts'))] } },
      { isSidechain: true },
    )
    at.story.content('r1', at.path('a.ts'), 'alpha', 1, 1, { isSidechain: true })
    at.story.answer([text('Done.')])
    at.finish()
    expect(reportOf(await at.trim(['a.ts'])).unmatched).toEqual(['a.ts'])
    expect(conversation(at)).toEqual(['user: Do the task', 'assistant: Done.'])
  })

  it('make room when the context is full: only the newest half stays', async () => {
    const long = 'x'.repeat(400)
    const at = await place({ 'a.ts': long, 'b.ts': long, 'c.ts': long, 'd.ts': long })
    for (const name of ['a.ts', 'b.ts', 'c.ts', 'd.ts']) at.story.read(name, at.path(name), long)
    at.story.answer([text('Done.')])
    at.finish()
    const report = reportOf(await at.trim(['**'], { harder: true }))
    expect(report.paths.map(({ path }) => path)).toEqual([at.path('c.ts'), at.path('d.ts')])
    expect(report.dropped.map(({ reason }) => reason)).toEqual(['to make room', 'to make room'])
  })
})

describe('what else stays', () => {
  it('drops thinking, server tools and their results, later prompts, spent reminders and bookkeeping', async () => {
    const at = await place({})
    at.story.answer([
      thinking(),
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
      { type: 'redacted_thinking', data: 'x' },
    ])
    at.story.answer([{ ...text('Cited.'), citations: [{ type: 'web_search_result_location' }] }])
    at.story.answer([text('The last words.')])
    at.story.prompt('And now?')
    at.story.attachment('total_tokens_reminder', { text: '1' })
    at.story.attachment('queued_command', { prompt: 'x' })
    at.story.attachment('skill_listing', { text: 'skill_listing' })
    at.story.answer([thinking()])
    at.story.note('content-replacement', { replacements: [] })
    at.story.note('mode', { mode: 'normal' })
    at.story.note('mode', { mode: 'plan' })
    at.finish()
    await at.trim([])
    expect(outline(at.records())).toEqual([
      'user: Do the task',
      'attachment: environment',
      'attachment: skill_listing',
      'attachment: date',
      'attachment: total_tokens_reminder',
      'attachment: prompt_snapshot',
      'assistant: The last words.',
      'mode',
    ])
  })

  it('keeps attachments that say something new, and what belongs to a kept tool use', async () => {
    const at = await place({ 'a.ts': 'alpha' })
    at.story.answer([readUse('r1', at.path('a.ts')), use('b', 'Bash', {})])
    at.story.content('r1', at.path('a.ts'), 'alpha')
    at.story.attachment('read_truncation_notice', { banner: 'PARTIAL', toolUseID: 'r1' })
    at.story.result('b', 'x')
    at.story.attachment('hook_success', { toolUseID: 'b' })
    at.story.attachment('date', { text: 'tomorrow' })
    at.story.answer([text('Done.')])
    at.finish()
    await at.trim(['a.ts'])
    expect(outline(at.records()).slice(6)).toEqual([
      'assistant: use r1',
      'user: result r1',
      'attachment: read_truncation_notice',
      'attachment: date',
      'assistant: Done.',
    ])
  })

  it('keeps unknown records, in the chain and beside it, and names each type once', async () => {
    const at = await place({})
    at.story.answer([text('First.')])
    at.story.record('checkpoint', { state: 1 })
    at.story.record('system', { subtype: 'brand_new' })
    at.story.answer([text('Done.')])
    at.story.note('ledger', { n: 1 })
    at.story.note('ledger', { n: 2 })
    at.finish()
    const report = reportOf(await at.trim([]))
    expect(report.unknown).toEqual([
      { name: 'checkpoint', count: 1 },
      { name: 'system:brand_new', count: 1 },
      { name: 'ledger', count: 2 },
    ])
    expect(outline(at.records()).slice(6)).toEqual([
      'checkpoint',
      'system',
      'assistant: Done.',
      'ledger',
      'ledger',
    ])
  })

  it('keeps a title only as long as the record that it names', async () => {
    const at = await place({})
    at.story.note('summary', { summary: 'old', leafUuid: 'gone' })
    at.story.answer([text('Done.')])
    at.story.note('summary', { summary: 'new', leafUuid: at.story.parent() })
    at.finish()
    await at.trim([])
    expect(at.records().filter(({ type }) => type === 'summary')).toMatchObject([{ summary: 'new' }])
  })

  it('passes over what the CLI itself said of an error', async () => {
    const at = await place({})
    at.story.answer([text('Done.')])
    at.story.prompt('Go on')
    at.story.answer([text('API Error: 529 Overloaded')], { isApiErrorMessage: true })
    at.finish()
    await at.trim([])
    expect(conversation(at).at(-1)).toBe('assistant: Done.')
  })

  it('ends in words of the model, with an id of their own, where reads follow its last text', async () => {
    const at = await place({ 'a.ts': 'alpha' })
    const message = at.story.answer([text('I will read.'), readUse('r1', at.path('a.ts'))])
    at.story.content('r1', at.path('a.ts'), 'alpha')
    at.finish()
    await at.trim(['a.ts'])
    expect(conversation(at).slice(1)).toEqual([
      'assistant: use r1',
      'user: result r1',
      'assistant: I will read.',
    ])
    const last = at.records().at(-1)?.['message'] as { id: string }
    expect(last.id).not.toBe(message)
  })

  it('ends in the last words that are no blanks, also where an old release stored them as plain text', async () => {
    const at = await place({})
    at.story.answer([text('Words.')])
    at.story.answer([text(' \n')])
    at.finish()
    reportOf(await at.trim([]))
    expect(at.records().at(-1)?.['message']).toMatchObject({ content: [text('Words.')] })

    const old = await place({})
    const message = { id: 'msg_old', role: 'assistant', model: 'claude-sonnet-4-5', content: 'Old words.' }
    old.story.record('assistant', { message })
    old.finish()
    reportOf(await old.trim([]))
    expect(old.records().at(-1)?.['message']).toMatchObject({ content: 'Old words.' })
  })

  it('ends in a text even where the model was cut off before it said anything', async () => {
    const at = await place({ 'a.ts': 'alpha' })
    at.story.read('r1', at.path('a.ts'), 'alpha')
    at.finish()
    await at.trim(['a.ts'])
    expect(conversation(at).at(-1)).toBe('assistant: I was interrupted here.')
    expect((await at.trim(['a.ts'])).status).toBe('unchanged')
  })

  it('refuses a session without an answer: there is nothing to trim (changelog 2.1.187)', async () => {
    const at = await place({})
    at.finish()
    expect(await at.trim([])).toMatchObject({ status: 'refused', code: 'no-answer' })
  })
})
