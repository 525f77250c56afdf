import { expect, it } from 'vitest'
import {
  formatCount,
  formatDuration,
  formatMoney,
  oneLine,
  printable,
  printableJson,
} from '../../src/ui/format.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1.0k'],
  [999_949, '999.9k'],
  [999_950, '1.0M'],
])('shows the count %d as %s', (count, text) => expect(formatCount(count)).toBe(text))

it.each([
  [0, '0.0s'],
  [9_999, '10.0s'],
  [10_000, '10s'],
  [65_000, '1m 05s'],
  [7_440_000, '2h 04m'],
])('shows %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

it.each([
  [0, '$0.00'],
  [0.0042, '$0.0042'],
  [1.234, '$1.23'],
])('shows %d dollars as %s', (usd, text) => expect(formatMoney(usd)).toBe(text))

it('takes the power over the terminal from text', () => {
  expect(printable('a\u001b[2Jb\u0007c\u009bd\u202ee')).toBe('a�[2Jb�c�d�e')
  expect(printable('tab\tand\nnewline, ü 漢')).toBe('tab\tand\nnewline, ü 漢')
})

it('escapes in JSON what has power over the terminal, and a program reads it back', () => {
  const value = { said: 'a\u009b2J\u001b]0;x\u0007\u007f\u202e', key: ['\n', '漢'] }
  expect(printableJson(value)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  expect(JSON.parse(printableJson(value))).toEqual(value)
})

it('cuts to one line', () => {
  expect(oneLine('  a\n b  c ', 10)).toBe('a b c')
  expect(oneLine('abcdef', 4)).toBe('abc…')
})
