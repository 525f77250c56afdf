import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { areas } from '../../src/vectors/areas.ts'
import { problemWith } from '../../src/vectors/compare.ts'
import { vectorFiles } from '../../src/vectors/files.ts'
import { loadCases } from '../../src/vectors/load.ts'
import { ownImplementation } from '../../src/vectors/run.ts'

const cases = loadCases(vectorFiles(), areas)
const ask = ownImplementation(areas)

describe.each(Object.entries(areas))('%s', (name, area) => {
  it.each(cases.filter((each) => each.area === name))('$id $comment', async (vector) => {
    const answer = await ask(vector)
    if (!('output' in answer)) throw new Error(JSON.stringify(answer))
    expect(problemWith(vector, answer.output)).toBeUndefined()
    expect(v.is(area.output, answer.output)).toBe(true)
  })
})
