import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { RunEventSchema } from '../../src/events.ts'
import { directiveKeys } from '../../src/task/directives.ts'
import { areas } from '../../src/vectors/areas.ts'
import { vectorFileSchema } from '../../src/vectors/case.ts'
import { vectorFiles } from '../../src/vectors/files.ts'
import { loadCases } from '../../src/vectors/load.ts'
import { fits } from './check-json-schema.ts'
import { jsonSchemas } from './json-schemas.ts'
import { rowsOf, rules, sections, version } from './specification.ts'

const files = vectorFiles()
const cases = loadCases(files, areas)

const parsed = (path: string) => JSON.parse(files.get(path) ?? '')
const areaOf = (path: string) => path.split('/')[0] ?? ''
const caseFiles = [...files.keys()].filter(
  (path) => /^[^/]+\/[^/]+\.json$/.test(path) && areaOf(path) !== 'schema',
)

const repeated = (items: readonly string[]) => items.filter((each, index) => items.indexOf(each) !== index)

describe('the vector files', () => {
  it('are there for every area', () => {
    expect([...new Set(caseFiles.map(areaOf))].sort()).toEqual(Object.keys(areas).sort())
    expect(cases.length).toBeGreaterThan(500)
  })

  it.each(caseFiles)('%s is of the JSON Schema of its area, and nothing else is', (path) => {
    const schema = parsed(`schema/${areaOf(path)}.json`)
    const whole = parsed(path)
    expect(fits(whole, schema)).toBe(true)
    const [first] = whole.cases
    const area = areas[areaOf(path)]
    for (const broken of [
      { ...whole, version: '1' },
      { ...whole, area: 'other' },
      { ...whole, cases: [] },
      { ...whole, cases: [{ ...first, section: '4.1' }] },
      { ...whole, cases: [{ ...first, rules: [] }] },
      { ...whole, cases: [{ ...first, result: 'maybe' }] },
      { ...whole, cases: [{ ...first, input: {} }] },
      { ...whole, cases: [{ ...first, expected: 1 }] },
      { ...whole, cases: [{ ...first, extra: 1 }] },
    ]) {
      expect(fits(broken, schema)).toBe(false)
      if (area !== undefined)
        expect(v.is(vectorFileSchema(areaOf(path), area.input, area.output), broken)).toBe(false)
    }
  })

  it.each([...jsonSchemas()])('%s is derived from the valibot schema', (path, schema) => {
    // To write them anew: npx bun test/vectors/write-schemas.ts && npx biome format --write vectors/schema
    expect(parsed(path)).toEqual(JSON.parse(JSON.stringify(schema)))
  })

  it.each(caseFiles)('%s explains the flags that it uses, and uses them', (path) => {
    const { notes, cases: own } = parsed(path)
    const used = new Set(own.flatMap(({ flags }: { flags: string[] }) => flags))
    expect([...used].sort()).toEqual(Object.keys(notes).sort())
  })

  it.each(caseFiles)('%s is of the version of the specification', (path) => {
    expect(parsed(path).version).toBe(version)
  })

  it('name every text that lies beside them, and no other', () => {
    const named = new Set(
      [
        ...caseFiles
          .map((path) => files.get(path) ?? '')
          .join('')
          .matchAll(/"file": ?"([^"]+)"/g),
      ].map(([, path]) => path),
    )
    const texts = [...files.keys()].filter((path) => path.split('/').length > 2 || path.endsWith('.jsonl'))
    expect(texts.sort()).toEqual([...named].sort())
  })
})

describe('the cases', () => {
  it('have ids of their own, which begin with their area', () => {
    expect(repeated(cases.map(({ id }) => id))).toEqual([])
    expect(cases.filter(({ id, area }) => !id.startsWith(`${area}-`))).toEqual([])
  })

  it('have inputs of their own', () => {
    expect(repeated(cases.map(({ area, input }) => `${area} ${JSON.stringify(input)}`))).toEqual([])
  })

  it('cite rules of their section that the specification has', () => {
    const numbers = new Set(rules.map(({ number }) => number))
    for (const { id, section, rules: cited } of cases) {
      expect([id, sections.includes(section.slice(1))]).toEqual([id, true])
      expect([id, cited.filter((number) => !numbers.has(number))]).toEqual([id, []])
      expect([id, cited[0]?.startsWith(`${section.slice(1)}-`)]).toEqual([id, true])
    }
  })

  it('are refusals where they say so', () => {
    const isRefusal = (expected: unknown) => 'refused' in Object(expected)
    expect(cases.filter(({ result, expected }) => (result === 'invalid') !== isRefusal(expected))).toEqual([])
  })
})

/** The case of Claude Code whose conversation is the same. */
const twinOf = ({ comment }: { readonly comment: string }) =>
  cases.find(({ id }) => id === /^as (trim-\d+): /.exec(comment)?.[1])

/** What a trim chooses, in any order: parallel results are in the order of their calls with OpenCode, of their ends with Claude Code. */
const chosen = (expected: unknown) => {
  const lists = v.parse(
    v.looseObject({ kept: v.array(v.unknown()), dropped: v.array(v.unknown()) }),
    expected,
  )
  return ['kept', 'dropped', 'unmatched'].map((key) =>
    v
      .parse(v.array(v.unknown()), lists[key])
      .map((each) => JSON.stringify(each))
      .sort(),
  )
}

describe('cases of behaviour that the agents share', () => {
  const twins = cases.filter(({ flags }) => flags.includes('twin'))

  it('are many', () => expect(twins.length).toBeGreaterThan(20))

  it.each(twins)('$id, $comment', (each) => {
    const twin = twinOf(each)
    expect(each.input).toMatchObject({ agent: 'opencode', keep: Object(twin?.input).keep })
    expect(chosen(each.expected)).toEqual(chosen(twin?.expected))
  })
})

describe('the specification', () => {
  it('numbers its rules in order, each within its section', () => {
    expect(repeated(rules.map(({ number }) => number))).toEqual([])
    expect(rules.length).toBeGreaterThan(100)
    for (const { number } of rules) expect(sections).toContain(number.split('-')[0])
  })

  it('says in every rule what is required or allowed', () => {
    expect(rules.filter(({ words }) => !/\b(MUST|SHOULD|MAY)\b/.test(words))).toEqual([])
  })

  it('has a row for every directive, and no other (§8.2)', () => {
    const keys = rowsOf('§8.2').flatMap(([names = '']) =>
      [...names.matchAll(/`([a-z-]+)`/g)].map((found) => found[1]),
    )
    const values = ['docker', 'podman']
    expect(keys.filter((key) => !values.includes(key ?? '')).sort()).toEqual([...directiveKeys].sort())
  })

  it('has a row for every event, with its fields (§5.7)', () => {
    const types = RunEventSchema.options.map(({ entries }) => [
      `\`${entries.type.literal}\``,
      Object.entries(entries)
        .filter(([key]) => !['type', 'at', 'run'].includes(key))
        .map(([key, { type }]) => `\`${key}\`${type === 'optional' ? '?' : ''}`)
        .join(', '),
    ])
    expect(rowsOf('§5.7')).toEqual(types)
  })

  it('has a case for every rule', () => {
    const cited = new Set(cases.flatMap((each) => each.rules))
    const uncited = rules.filter(({ number, words }) => /\bMUST\b/.test(words) && !cited.has(number))
    expect(uncited).toEqual([])
  })
})
