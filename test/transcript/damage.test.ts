import { describe, expect, it } from 'vitest'
import { finishedRun, opening, readUse, session, text } from '../helpers/session.ts'
import { outline, reportOf, type Workplace, workplace } from './workplace.ts'

const lineFeed = Buffer.from('\n')

/** A finished run that has read `a.ts`, its lines altered by `change` before they are stored. */
const damaged = async (change: (lines: Buffer[]) => readonly Buffer[], ending: Buffer = lineFeed) => {
  const place = await workplace()
  const path = place.write('a.ts', 'alpha')
  const lines = finishedRun({ [path]: 'alpha' }, { cwd: place.cwd })
    .lines()
    .map((line) => Buffer.from(line))
  const changed = change([...lines])
  place.store(
    Buffer.concat(changed.flatMap((line, index) => [line, index === changed.length - 1 ? ending : lineFeed])),
  )
  return place
}

const kinds = (result: Awaited<ReturnType<Workplace['trim']>>) =>
  reportOf(result).damage.map(({ kind, outcome }) => `${kind}: ${outcome}`)

const whole = [
  'user: Do the task',
  'attachment: environment',
  'attachment: skill_listing',
  'attachment: date',
  'attachment: total_tokens_reminder',
  'attachment: prompt_snapshot',
  'assistant: use r1',
  'user: result r1',
  'assistant: All done.',
  'cost-state',
]

const at = (lines: readonly Buffer[], part: string) => lines.findIndex((line) => line.includes(part))
const take = (lines: readonly Buffer[], index: number) => lines[index] ?? Buffer.alloc(0)

describe('a damaged session', () => {
  it('without a newline at the end gets one: up to 2.1.299 the CLI glues the next record on', async () => {
    const place = await damaged((lines) => lines, Buffer.alloc(0))
    expect(kinds(await place.trim(['a.ts']))).toEqual(['no-final-newline: mended'])
    expect(outline(place.records())).toEqual(whole)
    expect(place.bytes().at(-1)).toBe(0x0a)
  })

  it('with a torn last line loses the torn record only (anthropics/claude-code#20992)', async () => {
    const place = await damaged((lines) => [...lines, take(lines, 2).subarray(0, 60)], Buffer.alloc(0))
    expect(kinds(await place.trim(['a.ts']))).toEqual(['no-final-newline: mended', 'torn: dropped'])
    expect(outline(place.records())).toEqual(whole)
  })

  it('with records spliced on one line gets them apart (#81843)', async () => {
    const place = await damaged((lines) => {
      const use = at(lines, '"id":"r1"')
      return lines.flatMap((line, index) => {
        if (index === use) return [Buffer.concat([line, take(lines, use + 1)])]
        return index === use + 1 ? [] : [line]
      })
    })
    expect(kinds(await place.trim(['a.ts']))).toEqual(['spliced: mended'])
    expect(outline(place.records())).toEqual(whole)
  })

  it('with a record behind a torn one on its line keeps the whole one (#52387)', async () => {
    const place = await damaged((lines) => {
      const use = at(lines, '"id":"r1"')
      return lines.map((line, index) =>
        index === use ? Buffer.concat([take(lines, use - 1).subarray(0, 250), line]) : line,
      )
    })
    expect(kinds(await place.trim(['a.ts']))).toEqual(['torn: dropped'])
    expect(outline(place.records())).toEqual(whole)
  })

  it('with bookkeeping spliced onto a record keeps both', async () => {
    const place = await damaged((lines) => {
      const last = lines.length - 1
      return [...lines.slice(0, last - 1), Buffer.concat([take(lines, last - 1), take(lines, last)])]
    })
    expect(kinds(await place.trim(['a.ts']))).toEqual(['spliced: mended'])
    expect(outline(place.records())).toEqual(whole)
  })

  it.each([
    ['a line of NUL bytes (#49876)', Buffer.alloc(500)],
    ['NUL bytes before a record (#76059)', undefined],
  ])('with %s loses nothing', async (_, run) => {
    const place = await damaged((lines) => {
      const use = at(lines, '"id":"r1"')
      return run === undefined
        ? lines.map((line, index) => (index === use ? Buffer.concat([Buffer.alloc(300), line]) : line))
        : [...lines.slice(0, use), run, ...lines.slice(use)]
    })
    expect(kinds(await place.trim(['a.ts']))).toEqual(['nul: mended'])
    expect(outline(place.records())).toEqual(whole)
  })

  it('with a line of garbage reads on behind it (#50347)', async () => {
    const place = await damaged((lines) => [take(lines, 0), Buffer.from('garbage'), ...lines.slice(1)])
    expect(kinds(await place.trim(['a.ts']))).toEqual(['not-json: dropped'])
    expect(outline(place.records())).toEqual(whole)
  })

  it('with a byte order mark loses nothing', async () => {
    const place = await damaged((lines) => [
      Buffer.concat([Buffer.from('\uFEFF'), take(lines, 2)]),
      ...lines.slice(3),
    ])
    expect(kinds(await place.trim(['a.ts']))).toEqual(['byte-order-mark: mended'])
    expect(outline(place.records())).toEqual(whole)
  })

  it.each([
    ['behind its time', '"timestamp":"', 30],
    ['in what the CLI keeps of it', '"stdout":"', 20],
  ])(
    'with a result cut off %s and bookkeeping behind it, on one line, loses only the result',
    async (_, key, more) => {
      const place = await damaged((lines) => {
        const index = at(lines, '"tool_use_id":"bash"')
        const line = Buffer.from(
          take(lines, index)
            .toString()
            .replace(/,"userType"/, ',"toolUseResult":{"stdout":"a long output of it"},"userType"'),
        )
        const cut = line.subarray(0, line.indexOf(key) + more)
        return lines.with(
          index,
          Buffer.concat([cut, Buffer.from('{"type":"mode","mode":"plan","sessionId":"x"}')]),
        )
      })
      expect(kinds(await place.trim(['a.ts']))).toContain('torn: dropped')
      expect(outline(place.records())).toContain('mode')
    },
  )

  it('with lines of white space is read like any other', async () => {
    const place = await damaged((lines) => lines.flatMap((line) => [line, Buffer.from(' \t    \r')]))
    expect(kinds(await place.trim(['a.ts']))).toEqual([])
    expect(outline(place.records())).toEqual(whole)
  })

  it('with an answer that is to be kept and has no message id is left as it is', async () => {
    const place = await damaged((lines) =>
      lines.map((line) => Buffer.from(line.toString().replace(/"id":"msg_\d+",/, ''))),
    )
    expect(await place.trim(['a.ts'])).toMatchObject({ status: 'refused', code: 'unverified' })
  })

  it('with CRLF and blank lines is read like any other', async () => {
    const place = await damaged((lines) =>
      lines.flatMap((line) => [Buffer.concat([line, Buffer.from('\r')]), Buffer.alloc(0), Buffer.from('\r')]),
    )
    expect(kinds(await place.trim(['a.ts']))).toEqual([])
    expect(outline(place.records())).toEqual(whole)
  })

  it('splits at line feeds only: U+2028, U+2029 and U+0085 are text (Ruya-AI/cozempic#151)', async () => {
    const place = await workplace()
    const content = 'a\u2028b\u2029c\u0085d'
    const path = place.write('a.ts', content)
    const bytes = finishedRun({ [path]: content }, { cwd: place.cwd }).bytes()
    place.store(bytes)
    expect(bytes.toString()).toContain('\u2028')
    expect(reportOf(await place.trim(['a.ts'])).paths).toMatchObject([{ state: 'fresh' }])
    expect(place.bytes().toString()).toContain('a\u2028b\u2029c\u0085d')
  })

  it('keeps half a character byte for byte, and says so (#3277, #68325)', async () => {
    const place = await workplace()
    const story = session({ cwd: place.cwd })
    opening(story, 'X')
    const prompt = story.lines()[2]
    story.answer([text('Done.')])
    place.store(
      Buffer.from(
        story.bytes().toString().replace(String(prompt), String(prompt).replace('"X"', '"\\uD83d"')),
      ),
    )
    expect(kinds(await place.trim([]))).toEqual(['lone-surrogate: kept'])
    expect(place.bytes().toString()).toContain('"\\uD83d"')
  })

  it('with a line of 13 million characters is trimmed like any other (#67313)', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'alpha')
    const story = session({ cwd: place.cwd })
    opening(story)
    story.read('r1', path, 'alpha')
    story.answer([{ type: 'tool_use', id: 'big', name: 'Bash', input: {} }])
    story.result('big', 'x'.repeat(13_000_000))
    story.answer([text('All done.')])
    place.store(story.bytes())
    reportOf(await place.trim(['a.ts']))
    expect(outline(place.records())).toEqual(whole.slice(0, -1))
  })

  it('with bookkeeping behind its only answer, cut off, holds no answer', async () => {
    const place = await workplace()
    const story = session({ cwd: place.cwd })
    opening(story)
    story.answer([text('Done.')])
    const answer = String(story.pop())
    story.raw(`${answer.slice(0, -40)}${JSON.stringify({ type: 'mode', mode: 'plan', sessionId: 'x' })}`)
    place.store(story.bytes())
    expect(await place.trim([])).toMatchObject({ status: 'refused', code: 'no-answer' })
  })

  it.each([
    ['empty', ''],
    ['blank', '\n\n'],
  ])('that is %s is refused', async (_, content) => {
    const place = await workplace()
    place.store(content)
    expect(await place.trim([])).toMatchObject({ status: 'refused', code: 'empty' })
  })

  it('that is missing is refused', async () => {
    const place = await workplace()
    expect(await place.trim([])).toMatchObject({ status: 'refused', code: 'missing' })
  })
})

describe('a damaged chain', () => {
  const change = (key: string, value: unknown, part: string) => (lines: Buffer[]) =>
    lines.map((line) => {
      if (!line.includes(part)) return line
      const record = JSON.parse(line.toString())
      return Buffer.from(JSON.stringify({ ...record, [key]: value }))
    })

  const cases: readonly (readonly [string, string, (lines: Buffer[]) => readonly Buffer[]])[] = [
    ['a missing parent (#45286)', 'missing-parent', change('parentUuid', 'not-there', '"id":"bash"')],
    [
      'a record that is its own parent',
      'self-parent',
      (lines) => change('parentUuid', uuidOf(lines, '"id":"bash"'), '"id":"bash"')(lines),
    ],
    [
      'a cycle (changelog 2.1.30)',
      'missing-parent',
      (lines) => change('parentUuid', uuidOf(lines, 'All done.'), '"id":"bash"')(lines),
    ],
    ['a record without a parent', 'missing-parent', change('parentUuid', undefined, '"id":"bash"')],
    ['a record without a timestamp', 'missing-timestamp', change('timestamp', undefined, '"id":"r1"')],
    [
      'a line that stands twice (#5034)',
      'duplicate-uuid',
      (lines) => lines.flatMap((line) => (line.includes('"id":"r1"') ? [line, line] : [line])),
    ],
  ]
  const uuidOf = (lines: readonly Buffer[], part: string): string =>
    JSON.parse(String(take(lines, at(lines, part)))).uuid

  it.each(cases)('with %s keeps what is before it', async (_, kind, damage) => {
    const place = await damaged(damage)
    expect(kinds(await place.trim(['a.ts']))).toContain(`${kind}: mended`)
    expect(outline(place.records())).toEqual(whole)
  })

  it('with a kept record without uuid gives it one, the same each time', async () => {
    const place = await damaged(change('uuid', undefined, '"id":"r1"'))
    expect(kinds(await place.trim(['a.ts']))).toContain('missing-uuid: mended')
    expect(outline(place.records())).toEqual(whole)
    expect((await place.trim(['a.ts'])).status).toBe('unchanged')
  })

  it('with a fork by progress records keeps both sides of it (#35024)', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'alpha')
    const story = session({ cwd: place.cwd })
    opening(story)
    story.answer([readUse('r1', path)])
    const fork = story.parent()
    story.record('progress', { data: { type: 'hook_progress' } })
    story.hangOn(fork)
    story.content('r1', path, 'alpha')
    story.record('progress', { data: { type: 'hook_progress' } })
    story.answer([text('All done.')])
    story.record('progress', { data: {} }, { parentUuid: fork })
    place.store(story.bytes())
    await place.trim(['a.ts'])
    expect(outline(place.records())).toEqual(whole.slice(0, -1))
  })

  it('walks through errors that the CLI noted between use and result (#72203)', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'alpha')
    const story = session({ cwd: place.cwd })
    opening(story)
    story.answer([readUse('r1', path)])
    story.record('system', { subtype: 'api_error' })
    story.content('r1', path, 'alpha', 1, 1, { parentUuid: story.parent() })
    story.answer([text('All done.')])
    place.store(story.bytes())
    await place.trim(['a.ts'])
    expect(outline(place.records())).toEqual(whole.slice(0, -1))
  })

  it('leaves a conversation that was taken back behind', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'alpha')
    const story = session({ cwd: place.cwd })
    opening(story, 'The first try')
    story.read('r1', path, 'alpha')
    story.answer([text('First.')])
    story.hangOn(null)
    story.prompt('Do the task')
    story.attachment('environment', { text: 'again' })
    story.attachment('prompt_snapshot', { systemPrompt: ['again'] })
    story.answer([text('Second.')])
    story.note('last-prompt', { leafUuid: story.parent() })
    place.store(story.bytes())
    expect(reportOf(await place.trim(['a.ts'])).unmatched).toEqual(['a.ts'])
    expect(outline(place.records())).toEqual([
      'user: Do the task',
      'attachment: environment',
      'attachment: prompt_snapshot',
      'assistant: Second.',
    ])
  })

  it('drops a pointer to an old branch (#89820)', async () => {
    const place = await damaged((lines) => [
      ...lines,
      Buffer.from(JSON.stringify({ type: 'last-prompt', leafUuid: '00000000-0000-4000-8000-000000000001' })),
    ])
    await place.trim(['a.ts'])
    expect(place.bytes().toString()).not.toContain('last-prompt')
  })

  it('keeps neither a use without result (#39602) nor a result without use (#11042; changelog 2.1.69, 2.1.218)', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'alpha')
    const story = session({ cwd: place.cwd })
    opening(story)
    story.result('r0', '1\talpha')
    story.answer([readUse('r1', path), readUse('r2', path, { offset: 1 })])
    story.content('r2', path, 'alpha')
    story.answer([text('All done.'), readUse('r3', path)])
    place.store(story.bytes())
    reportOf(await place.trim(['a.ts']))
    expect(outline(place.records()).slice(6)).toEqual([
      'assistant: use r2',
      'user: result r2',
      'assistant: All done.',
    ])
  })
})
