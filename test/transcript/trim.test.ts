import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { finishedRun } from '../helpers/session.ts'
import { outline, reportOf, workplace } from './workplace.ts'

const stored = async () => {
  const place = await workplace()
  const a = place.write('a.ts', 'alpha\nbeta\n')
  const b = place.write('b.ts', 'one\ntwo')
  place.store(finishedRun({ [a]: 'alpha\nbeta\n', [b]: 'one\ntwo' }, { cwd: place.cwd }).bytes())
  return place
}

describe('a trim of a finished run', () => {
  it('keeps the beginning, the kept file and the last text, and nothing else', async () => {
    const place = await stored()
    const result = await place.trim(['a.ts'])
    expect(result.status).toBe('applied')
    expect(outline(place.records())).toEqual([
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
    ])
  })

  it('links the records to one chain with growing time, and sets usage to zero', async () => {
    const place = await stored()
    await place.trim(['a.ts', 'b.ts'])
    const chain = place.records().filter((record) => 'uuid' in record)
    expect(chain.map(({ parentUuid }) => parentUuid)).toEqual([
      null,
      ...chain.slice(0, -1).map(({ uuid }) => uuid),
    ])
    const times = chain.map(({ timestamp }) => Date.parse(String(timestamp)))
    expect(times).toEqual([...new Set(times)].sort((x, y) => x - y))
    expect(place.bytes().toString()).not.toContain('90000')
    expect(place.bytes().toString()).toContain('"service_tier":"standard"')
  })

  it('leaves the file as it is when the caller declines what it would come to', async () => {
    const place = await stored()
    const before = place.bytes()
    const result = await place.trim(['a.ts'], {
      decline: ({ tokens, paths }) =>
        `${0 < tokens.head && tokens.head < tokens.after && tokens.after < tokens.before}, ${paths.length}`,
    })
    expect(result).toMatchObject({ status: 'refused', code: 'declined', reason: 'true, 1' })
    expect(place.bytes().equals(before)).toBe(true)
  })

  it('keeps the old file as the backup', async () => {
    const place = await stored()
    const before = place.bytes()
    await place.trim([])
    const { readFileSync } = await import('node:fs')
    expect(readFileSync(place.backup).equals(before)).toBe(true)
  })

  it('shows the text of now where a kept file has changed', async () => {
    const place = await stored()
    place.write('a.ts', 'ALPHA\nbeta\n')
    const report = reportOf(await place.trim(['a.ts', 'b.ts']))
    expect(report.paths.map(({ path, state }) => [path, state])).toEqual([
      [place.path('b.ts'), 'fresh'],
      [place.path('a.ts'), 'refreshed'],
    ])
    expect(place.bytes().toString()).toContain('1\\tALPHA\\n2\\tbeta\\n3\\t')
    expect(place.bytes().toString()).not.toContain('alpha')
  })

  it('changes nothing the second time', async () => {
    const place = await stored()
    await place.trim(['a.ts'])
    const once = place.bytes()
    expect((await place.trim(['a.ts'])).status).toBe('unchanged')
    expect(place.bytes().equals(once)).toBe(true)
  })

  it('is given up at a signal, and leaves the session as it is', async () => {
    const place = await stored()
    const dead = `${JSON.stringify({ type: 'progress', data: 'x'.repeat(1 << 20) })}\n`
    place.store(Buffer.concat([place.bytes(), Buffer.from(dead.repeat(8))]))
    const before = place.bytes()
    const signal = AbortSignal.abort()
    expect((await place.trim(['a.ts'], { dryRun: true, signal })).status).toBe('refused')
    expect((await place.trim(['a.ts'], { dryRun: true })).status).toBe('planned')
    expect(place.bytes().equals(before)).toBe(true)
    expect(readdirSync(dirname(place.file))).toEqual([basename(place.file)])
  })

  it('writes nothing in a dry run', async () => {
    const place = await stored()
    const before = place.bytes()
    expect((await place.trim(['a.ts'], { dryRun: true })).status).toBe('planned')
    expect(place.bytes().equals(before)).toBe(true)
  })
})
