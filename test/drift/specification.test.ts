import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadBearing } from '../../src/drift/load-bearing.ts'
import { loadBearing as loadBearingOfOpenCode } from '../../src/drift/opencode/load-bearing.ts'
import {
  attachmentRows,
  blockRows,
  bookkeepingRows,
  chainRows,
  systemRows,
} from '../../src/transcript/dispositions.ts'

const specification = readFileSync(
  join(import.meta.dirname, '..', '..', 'vectors', 'behavioral-specification.md'),
  'utf8',
)

const listed = (heading: string) => {
  const list = specification.split('\n\n').find((paragraph) => paragraph.startsWith(`${heading}: `))
  return [...(list ?? '').slice(heading.length + 2).matchAll(/`([^`]+)`/g)].map(([, name]) => name)
}

describe('the specification (§9)', () => {
  it.each([
    ['Records', { ...chainRows, ...bookkeepingRows }],
    ['Attachments, each behind `attachment:`', attachmentRows],
    ['System records, each behind `system:`', systemRows],
    ['Blocks', blockRows],
  ])('lists all that has a row in the table of dispositions: %s', (heading, rows) => {
    expect(listed(heading)).toEqual(Object.keys(rows).sort())
  })

  it.each([
    ['Spent records', bookkeepingRows, 'drop'],
    ['Records that are set anew', bookkeepingRows, 'last'],
    ['Spent attachments', attachmentRows, 'spent'],
    ['System records that are only for people', systemRows, 'aside'],
  ])('lists what the table of dispositions says of types (§6.7): %s', (heading, rows, does) => {
    const named = Object.entries(rows).filter(([, row]) => row.does === does)
    expect(listed(heading)).toEqual(named.map(([type]) => type).sort())
  })

  it('names every key that a trim stands on, with its types', () => {
    const table = [
      ...specification.matchAll(/^\| `([^`]+)` +\| `(\w+)` +\| ([a-z ]+?) +\| (may be left out)? *\|/gm),
    ].map(([, part, key, types, optional]) => [part, key, types, optional !== undefined])
    const rows = [loadBearing, loadBearingOfOpenCode]
      .flatMap((all) => Object.entries(all))
      .flatMap(([part, keys]) =>
        Object.entries(keys).map(([key, row]) => [part, key, row.types.join(' or '), row.optional === true]),
      )
    expect(table).toEqual([['record', 'type', 'string', false], ...rows])
  })
})
