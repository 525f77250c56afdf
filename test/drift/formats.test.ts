import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { observe } from '../../src/drift/derive.ts'
import { knownShapes, newestVerified, standingOf } from '../../src/drift/format.ts'
import { shippedFormats } from '../../src/drift/known-formats.ts'
import { isKnownPart } from '../../src/drift/known-parts.ts'
import { formatsOf, notesOf, type ReleaseNotes } from '../../src/drift/merge.ts'
import { jsonTypes, parseShape, shapeText } from '../../src/drift/shape.ts'
import { pinned } from '../../src/probe/pinned-cli.ts'

const shipped = await shippedFormats('claude')

const notes = (
  version: string,
  records: readonly object[],
  faults: readonly string[] = [],
): ReleaseNotes => ({
  version,
  faults,
  ...observe({
    files: [
      {
        path: `-p/${'1'.repeat(8)}-1111-4111-8111-${'1'.repeat(12)}.jsonl`,
        bytes: Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
      },
    ],
    streams: ['{"type":"system","subtype":"init"}', 'no JSON'],
  }),
})

describe('the formats that come with yoke', () => {
  it('are of at least 40 releases from 1.0.0 on, the pinned one verified', () => {
    const releases = shipped.flatMap((format) => format.releases)
    expect(releases.length).toBeGreaterThanOrEqual(40)
    expect(releases[0]).toBe('1.0.0')
    expect(releases).toContain(pinned.claude)
    expect(newestVerified(shipped)).toBe(pinned.claude)
  })

  it('hold no part that has no row in the table of dispositions: a new type needs one, with a reason', () => {
    const parts = [...knownShapes(shipped).keys()]
    expect(parts.length).toBeGreaterThan(30)
    expect(parts.filter((part) => !isKnownPart(part))).toEqual([])
    expect(isKnownPart('attachment:never-seen')).toBe(false)
  })

  it('come out the same when they are derived from themselves', () => {
    const again = formatsOf('claude', notesOf(shipped))
    expect(again.map(({ from, to, releases }) => [from, to, releases])).toEqual(
      shipped.map(({ from, to, releases }) => [from, to, releases]),
    )
  })
})

describe('what is derived from records', () => {
  it('says which keys there are, of which types, and which may be left out', () => {
    const { session, files, stream } = notes('1.0.0', [
      { type: 'mode', mode: 'a', at: null },
      { type: 'mode', mode: 1, at: 2, extra: [] },
    ])
    expect(shapeText(session.get('mode') ?? new Map())).toBe(
      'at: number, extra?: array, mode: number|string, type: string',
    )
    expect(files).toEqual(['<slug>/<id>.jsonl'])
    expect([...stream.keys()]).toEqual(['system:init'])
  })

  it('reads the notation back as it was, whatever the keys are', () => {
    const slot = fc.record({ types: fc.subarray([...jsonTypes], { minLength: 1 }), optional: fc.boolean() })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), slot), (slots) => {
        const shape = new Map(
          Object.entries(slots).map(([key, { types, optional }]) => [
            key,
            { types: new Set(types), optional },
          ]),
        )
        const text = shapeText(shape)
        expect(shapeText(parseShape(text))).toBe(text)
        expect(parseShape(text)).toEqual(shape)
      }),
      { numRuns: 200 },
    )
  })
})

describe('formats', () => {
  const a = { type: 'mode', mode: 'x' }
  const b = { type: 'mode', mode: 'x', novel: true }

  it('are one for neighbours that write the same', () => {
    const formats = formatsOf('claude', [notes('1.0.10', [b]), notes('1.0.9', [a]), notes('1.0.2', [a])])
    expect(formats.map(({ from, to, releases }) => [from, to, releases])).toEqual([
      ['1.0.2', '1.0.9', ['1.0.2', '1.0.9']],
      ['1.0.10', '1.0.10', ['1.0.10']],
    ])
  })

  it('count what comes and goes by chance for the releases between', () => {
    const formats = formatsOf('claude', [notes('1.0.1', [b]), notes('1.0.2', [a]), notes('1.0.3', [b])])
    expect(formats).toHaveLength(1)
    expect(formats[0]?.session).toEqual({ mode: 'mode: string, novel?: boolean, type: string' })
  })

  it('name the releases on which a trim was tried and failed', () => {
    const [format] = formatsOf('claude', [notes('1.0.1', [a], ['kept: nothing']), notes('1.0.2', [a])])
    expect(format).toMatchObject({ verified: ['1.0.2'], unverified: { '1.0.1': ['kept: nothing'] } })
  })

  it('tell how a release stands to them', () => {
    const formats = formatsOf('claude', [
      notes('1.0.9', [a]),
      notes('1.0.10', [a], ['kept: nothing']),
      notes('1.0.30', [a]),
    ])
    const standings = ['1.0.9', '1.0.20', '1.0.10', '1.0.31', '0.9.99', undefined].map((version) =>
      standingOf(version, formats),
    )
    expect(standings).toEqual(['verified', 'within', 'unverified', 'newer', 'older', 'unknown'])
  })
})
