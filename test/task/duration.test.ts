import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseDuration } from '../../src/task/duration.ts'
import { parseTokens } from '../../src/task/tokens.ts'

it.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['2h', 7_200_000],
  ['1h30m', 5_400_000],
  ['1h 30m', 5_400_000],
  ['1d2h3m4s5ms', 93_784_005],
  ['1.5h', 5_400_000],
  ['0.5s', 500],
  ['250ms', 250],
  ['5m250ms', 300_250],
  [' 10M ', 600_000],
  ['90', 90_000],
  [90, 90_000],
  [0.25, 250],
  ['0', 0],
])('%j is a duration of %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

it.each([
  '',
  ' ',
  'h',
  'x',
  '1x',
  '30m1h',
  '1m1m',
  '-5m',
  -5,
  '1h30',
  '1:30',
  '5 minutes',
  '1e3s',
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

it('adds up the parts of any duration', () => {
  const part = fc.nat({ max: 9999 })
  fc.assert(
    fc.property(part, part, part, part, (h, m, s, ms) => {
      expect(parseDuration(`${h}h${m}m${s}s${ms}ms`)).toBe(((h * 60 + m) * 60 + s) * 1000 + ms)
    }),
  )
})

it.each([
  [120_000, 120_000],
  ['120000', 120_000],
  ['120_000', 120_000],
  ['120k', 120_000],
  ['120 K', 120_000],
  ['1.5m', 1_500_000],
])('%j is a count of %d tokens', (text, count) => {
  expect(parseTokens(text)).toBe(count)
})

it.each(['', 'k', '1g', '-1k', '1e5', '12k5', '1,000'])('%j is no count of tokens', (text) => {
  expect(parseTokens(text)).toBeUndefined()
})
