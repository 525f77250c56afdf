import { describe, expect, it } from 'vitest'
import { areas } from '../../src/vectors/areas.ts'
import { problemWith } from '../../src/vectors/compare.ts'
import { vectorFiles } from '../../src/vectors/files.ts'
import { loadCases } from '../../src/vectors/load.ts'
import { ownImplementation, runCases } from '../../src/vectors/run.ts'

const compare = (expected: unknown, output: unknown) => problemWith({ expected, result: 'valid' }, output)

describe('an output', () => {
  it.each<[unknown, unknown]>([
    [
      { a: 1, b: [null, 'x'] },
      { b: [null, 'x'], a: 1 },
    ],
    [[], []],
    ['', ''],
    [null, null],
  ])('%j equals %j', (expected, output) => {
    expect(compare(expected, output)).toBeUndefined()
  })

  it.each<[unknown, unknown, string]>([
    [{ a: 1 }, { a: 2 }, 'a: expected 1, got 2'],
    [{ a: 1 }, {}, 'a: expected 1, got nothing'],
    [{}, { a: 1 }, 'a: expected nothing, got 1'],
    [{ a: null }, {}, 'a: expected null, got nothing'],
    [{ a: [1, 2] }, { a: [1, 3] }, 'a[1]: expected 2, got 3'],
    [{ a: [1, 2] }, { a: [1] }, 'a: expected [1,2], got [1]'],
    [{ a: [1] }, { a: [1, 2] }, 'a: expected [1], got [1,2]'],
    [{ a: [] }, { a: {} }, 'a: expected [], got {}'],
    [{ a: { b: '1' } }, { a: { b: 1 } }, 'a.b: expected "1", got 1'],
    [{ t: 'x\ny\n' }, { t: 'x\nz\n' }, 't, line 2: expected "y", got "z"'],
    [{ t: 'x\n' }, { t: 'x' }, 't, line 2: expected "", got nothing'],
    [{ t: 'x' }, { t: 'x\n' }, 't, line 2: expected nothing, got ""'],
    [null, { a: 1 }, 'output: expected null, got {"a":1}'],
  ])('%j is not %j', (expected, output, problem) => {
    expect(compare(expected, output)).toBe(problem)
  })

  it('may be a refusal of any kind where that is acceptable, and only there', () => {
    const refused = { refused: 'E_ANY' }
    expect(problemWith({ expected: { a: 1 }, result: 'acceptable' }, refused)).toBeUndefined()
    expect(problemWith({ expected: { a: 1 }, result: 'acceptable' }, { a: 1 })).toBeUndefined()
    expect(problemWith({ expected: { a: 1 }, result: 'acceptable' }, { a: 2 })).toBeDefined()
    expect(problemWith({ expected: { a: 1 }, result: 'valid' }, refused)).toBeDefined()
    expect(problemWith({ expected: { refused: 'E_OTHER' }, result: 'invalid' }, refused)).toBeDefined()
  })
})

describe('a planted fault', () => {
  const files = vectorFiles()
  /** Changes one leaf of what is expected. */
  const spoiled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.length === 0 ? ['more'] : value.slice(1)
    if (typeof value === 'object' && value !== null) {
      const [first] = Object.entries(value)
      return first === undefined ? { more: 1 } : { ...value, [first[0]]: spoiled(first[1]) }
    }
    return typeof value === 'string' ? `${value}x` : typeof value === 'number' ? value + 1 : [value]
  }

  it.each(Object.keys(areas))('in any expectation of %s is found', async (area) => {
    const cases = loadCases(files, areas)
      .filter((each) => each.area === area)
      .map((each) => ({ ...each, expected: spoiled(each.expected) }))
    const results = await runCases(cases, ownImplementation(areas), () => 0)
    expect(results.filter(({ status }) => status !== 'failed').map(({ vector }) => vector.id)).toEqual([])
  })

  it('in a vector file is named with its file', () => {
    const broken = new Map(files).set(
      'slug/slugs.json',
      (files.get('slug/slugs.json') ?? '').replace('"path"', '"pat"'),
    )
    expect(() => loadCases(broken, areas)).toThrow('vectors/slug/slugs.json')
    expect(() => loadCases(new Map([['odd/x.json', '{}']]), areas)).toThrow('odd')
    const lost = new Map([...files].filter(([path]) => path !== 'trim/sessions/finished.jsonl'))
    expect(() => loadCases(lost, areas)).toThrow('trim/sessions/finished.jsonl')
  })
})
