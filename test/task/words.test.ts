import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitArguments, splitTools } from '../../src/task/words.ts'

it.each([
  ['', []],
  ['  ', []],
  ['--a b', ['--a', 'b']],
  [' --a\n\tb ', ['--a', 'b']],
  [`--a "b c" 'd e'`, ['--a', 'b c', 'd e']],
  [`--a="b c"'d'e`, ['--a=b cde']],
  [`'' ""`, ['', '']],
  [`"a\\"b" 'a\\b' a\\ b`, ['a"b', 'a\\b', 'a b']],
  ['"C:\\dir\\n"', ['C:\\dir\\n']],
  ['$HOME *.ts', ['$HOME', '*.ts']],
])('%j holds the arguments %j', (text, expected) => {
  expect(splitArguments(text)).toEqual(expected)
})

it.each([`"a`, `'a`, `a "b' c`, 'a\\'])('%j is not closed', (text) => {
  expect(splitArguments(text)).toBeUndefined()
})

it('gives back any arguments that are quoted as a shell wants it', () => {
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(splitArguments(words.map(quote).join(' '))).toEqual(words)
    }),
  )
})

it.each([
  ['Read', ['Read']],
  ['Read, Edit', ['Read', 'Edit']],
  ['Read Edit', ['Read', 'Edit']],
  ['Bash(git add:*), Bash(npm run a, b) mcp__x__y', ['Bash(git add:*)', 'Bash(npm run a, b)', 'mcp__x__y']],
  ['', []],
])('%j holds the tool rules %j', (text, expected) => {
  expect(splitTools(text)).toEqual(expected)
})
