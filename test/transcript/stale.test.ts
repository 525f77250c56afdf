import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { arrowed, finishedRun, opening, readUse, session, text } from '../helpers/session.ts'
import { reportOf, type Workplace, workplace } from './workplace.ts'

/** A session that has read `a.ts` with this content, in a project where the file holds it. */
const afterReading = async (
  content: string,
  range: { offset?: number; limit?: number; total?: number } = {},
) => {
  const place = await workplace()
  const path = place.write('a.ts', content)
  const story = session({ cwd: place.cwd })
  opening(story)
  const { total, ...asked } = range
  const { offset = 1 } = asked
  const lines = content.split('\n')
  const shown = lines.slice(offset - 1, asked.limit === undefined ? undefined : offset - 1 + asked.limit)
  story.answer([readUse('r1', path, asked)])
  story.content('r1', path, shown.join('\n'), offset, total ?? lines.length)
  story.answer([text('Done.')])
  place.store(story.bytes())
  return place
}

const shown = (place: Workplace) => {
  const result = place.records().find((record) => 'toolUseResult' in record)
  const message = result?.['message'] as { content: readonly { content: string }[] } | undefined
  return message?.content[0]?.content
}

const copy = (place: Workplace) => {
  const record = place.records().find((each) => 'toolUseResult' in each)
  return (record?.['toolUseResult'] as { file: unknown } | undefined)?.file
}

describe('a kept read of a file that has changed', () => {
  it('shows the text of now, in the very form of the old one, with the copy of the CLI beside it', async () => {
    const place = await afterReading('one\ntwo\n')
    place.write('a.ts', 'one\r\n"zwei"\r\ndrei\r\n')
    expect(reportOf(await place.trim(['a.ts'])).paths).toMatchObject([{ state: 'refreshed' }])
    expect(shown(place)).toBe('1\tone\n2\t"zwei"\n3\tdrei\n4\t')
    expect(copy(place)).toMatchObject({
      content: 'one\n"zwei"\ndrei\n',
      numLines: 4,
      totalLines: 4,
      startLine: 1,
    })
  })

  it('is never older than its file: 2.1.100 and 2.1.200 would ask for a new read', async () => {
    const place = await afterReading('one')
    const path = place.write('a.ts', 'two')
    const later = new Date('2025-06-01T10:00:30.000Z')
    utimesSync(path, later, later)
    await place.trim(['a.ts'])
    const times = place
      .records()
      .flatMap(({ timestamp }) => (timestamp === undefined ? [] : [Date.parse(String(timestamp))]))
    expect(times.at(-2)).toBe(later.getTime())
    expect(times.at(-1)).toBeGreaterThan(later.getTime())
  })

  it('takes no time from a file that is dated in the future: up to 2.1.100 the highest time decides where to resume', async () => {
    const place = await afterReading('one')
    const future = new Date('2999-01-01T00:00:00.000Z')
    utimesSync(place.write('a.ts', 'two'), future, future)
    expect(reportOf(await place.trim(['a.ts'])).paths).toMatchObject([{ state: 'refreshed' }])
    expect(place.bytes().toString()).not.toContain('2999-')
  })

  it('is dropped, and named, by `stale-reads: drop`', async () => {
    const place = await afterReading('one')
    place.write('a.ts', 'two')
    const report = reportOf(await place.trim(['a.ts'], { staleReads: 'drop' }))
    expect(report).toMatchObject({ paths: [], dropped: [{ path: place.path('a.ts'), reason: 'changed' }] })
  })

  it('keeps its offset and limit', async () => {
    const place = await afterReading('1\n2\n3\n4\n5', { offset: 2, limit: 2 })
    place.write('a.ts', '1\n2\nDREI\n4\n5\n6')
    await place.trim(['a.ts'])
    expect(shown(place)).toBe('2\t2\n3\tDREI')
    expect(copy(place)).toMatchObject({ totalLines: 6 })
  })

  it('shows the rest of a file that is now shorter than offset and limit together', async () => {
    const place = await afterReading('1\n2\n3\n4\n5', { offset: 2, limit: 3 })
    place.write('a.ts', '1\nzwei')
    await place.trim(['a.ts'])
    expect(shown(place)).toBe('2\tzwei')
  })

  it('goes only as far as a read that was cut', async () => {
    const place = await afterReading('1\n2\n3', { total: 9 })
    place.write('a.ts', 'eins\n2\n3\n4\n5\n6\n7\n8\n9')
    await place.trim(['a.ts'])
    expect(shown(place)).toBe('1\teins\n2\t2\n3\t3')
  })

  it('is fresh when the file was only touched', async () => {
    const place = await afterReading('one')
    place.write('a.ts', 'one')
    expect(reportOf(await place.trim(['a.ts'])).paths).toMatchObject([{ state: 'fresh' }])
  })

  it('sees that a file has grown behind what was read to the end', async () => {
    const place = await afterReading('one')
    place.write('a.ts', 'one\ntwo')
    await place.trim(['a.ts'])
    expect(shown(place)).toBe('1\tone\n2\ttwo')
  })

  const gone: readonly (readonly [string, string, (place: Workplace) => void])[] = [
    ['deleted', 'deleted', (place) => rmSync(place.path('a.ts'))],
    [
      'replaced by a folder',
      'directory',
      (place) => {
        rmSync(place.path('a.ts'))
        mkdirSync(place.path('a.ts'))
      },
    ],
    ['binary now', 'binary', (place) => place.write('a.ts', Buffer.from([1, 0, 2]))],
    [
      'binary now, and half a byte order mark',
      'binary',
      (place) => place.write('a.ts', Buffer.from([0xff, 0, 2])),
    ],
    ['empty now', 'empty', (place) => place.write('a.ts', '')],
    ['much larger now', 'too large', (place) => place.write('a.ts', 'long line\n'.repeat(20_000))],
  ]
  it.each(gone)('is dropped when the file is %s', async (_, reason, change) => {
    const place = await afterReading('one')
    change(place)
    const report = reportOf(await place.trim(['a.ts']))
    expect(report).toMatchObject({ paths: [], dropped: [{ path: place.path('a.ts'), reason }] })
    expect(place.bytes().toString()).not.toContain('r1')
  })

  it('is dropped when the file is shorter than the offset', async () => {
    const place = await afterReading('1\n2\n3\n4', { offset: 4 })
    place.write('a.ts', '1')
    expect(reportOf(await place.trim(['a.ts'])).dropped).toMatchObject([
      { reason: 'shorter than the offset' },
    ])
  })

  it.skipIf(process.getuid?.() === 0)('is dropped when the file cannot be read', async () => {
    const place = await afterReading('one')
    chmodSync(place.path('a.ts'), 0)
    expect(reportOf(await place.trim(['a.ts'])).dropped).toMatchObject([{ reason: 'unreadable' }])
  })

  it('is rendered with arrows and a reminder behind, where the old one was', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'one\ntwo')
    const story = session({ cwd: place.cwd, version: '1.0.128' })
    story.prompt('Do the task')
    story.answer([readUse('r1', path)])
    story.result('r1', arrowed('one\ntwo'), {}, { toolUseResult: { type: 'text' } })
    story.answer([text('Done.')])
    place.store(story.bytes())
    place.write('a.ts', 'one\nzwei')
    expect(reportOf(await place.trim(['a.ts'])).paths).toMatchObject([{ state: 'refreshed' }])
    expect(shown(place)).toBe(arrowed('one\nzwei'))
  })

  it('is not rendered by guess: a form that yoke does not know goes with the change', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'one')
    const story = session({ cwd: place.cwd })
    opening(story)
    story.answer([readUse('r1', path)])
    story.result('r1', 'line 1: one')
    story.answer([text('Done.')])
    place.store(story.bytes())
    expect(reportOf(await place.trim(['a.ts'])).dropped).toMatchObject([
      { reason: 'changed, and its form is unknown' },
    ])
  })

  it('stays as it is in a form that yoke does not know, as long as the file is older than the read', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'one')
    const before = new Date('2025-05-01T00:00:00.000Z')
    utimesSync(path, before, before)
    const story = session({ cwd: place.cwd })
    opening(story)
    story.answer([readUse('r1', path)])
    story.result('r1', 'line 1: one')
    story.answer([text('Done.')])
    place.store(story.bytes())
    expect(reportOf(await place.trim(['a.ts'])).paths).toMatchObject([{ state: 'fresh' }])
  })

  it('is dropped when the file is no text any more, and read when it is UTF-16', async () => {
    const place = await afterReading('one')
    const path = place.path('a.ts')
    for (const bytes of [Buffer.from([0xff, 0xff, 0x00]), Buffer.from([0x6f, 0xfe, 0x00])]) {
      writeFileSync(path, bytes)
      expect(reportOf(await place.trim(['a.ts'], { dryRun: true })).dropped).toMatchObject([
        { reason: 'binary' },
      ])
    }
    writeFileSync(path, Buffer.from('\ufeffzwei', 'utf16le'))
    expect(reportOf(await place.trim(['a.ts'])).paths).toMatchObject([{ state: 'refreshed' }])
    expect(shown(place)).toBe('1\tzwei')
  })

  it('leaves every other byte of the line as it was', async () => {
    const place = await workplace()
    const path = place.write('a.ts', 'one')
    place.store(finishedRun({ [path]: 'one' }, { cwd: place.cwd }).bytes())
    const old =
      place
        .bytes()
        .toString()
        .split('\n')
        .find((line) => line.includes('toolUseResult')) ?? ''
    place.write('a.ts', 'ONE')
    await place.trim(['a.ts'])
    const now =
      place
        .bytes()
        .toString()
        .split('\n')
        .find((line) => line.includes('toolUseResult')) ?? ''
    const same = (line: string) =>
      line
        .replace(/"parentUuid":"[^"]*"/, '')
        .replace(/"timestamp":"[^"]*"/, '')
        .replaceAll('ONE', 'one')
    expect(same(now)).toBe(same(old))
  })
})
