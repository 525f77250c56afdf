import { describe, expect, it } from 'vitest'
import { digestOfPlan, jsonFromText, titleOf } from '../../src/loop/plan.ts'

describe("a scoper's answer in free text", () => {
  it.each<[text: string, json: unknown]>([
    ['{"status":"done"}', { status: 'done' }],
    ['Here:\n```json\n{"status":"plan"}\n```\nThat is it.', { status: 'plan' }],
    ['```\n{"a":1}\n```\n\n```json\n{"a":2}\n```', { a: 2 }],
    ['~~~json\n{"a":1}\n~~~', { a: 1 }],
    ['```json\n{"plan":"```\\n"}\n```', { plan: '```\n' }],
    ['```json\n{broken\n```', undefined],
    ['```json\n[1]\n```', undefined],
    ['The goal is done.', undefined],
    ['', undefined],
  ])('%j', (text, json) => {
    expect(jsonFromText(text)).toEqual(json)
  })
})

describe('two plans', () => {
  it('are the same when only case, punctuation or white space differ', () => {
    expect(digestOfPlan('Add a parser.\n\n- For  dates!')).toBe(digestOfPlan('add a parser: for dates'))
    expect(digestOfPlan('Add a parser')).not.toBe(digestOfPlan('Add a lexer'))
    expect(digestOfPlan('日本語')).not.toBe(digestOfPlan('日本人'))
  })
})

describe('a title', () => {
  it.each([
    [{ title: 'Parser', plan: 'x' }, 'Parser'],
    [{ title: ' ', plan: '\n# Add a parser\n\nMore.' }, 'Add a parser'],
    [{ title: 'One\nTwo', plan: 'x' }, 'One'],
    [{ title: '', plan: '' }, ''],
  ])('of %j is %j', (plan, title) => {
    expect(titleOf(plan)).toBe(title)
  })
})
