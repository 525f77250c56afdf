import { describe, expect, it } from 'vitest'
import { readAgain, readForms, renderReadText } from '../../../src/agents/opencode/read-text.ts'

const shown = (body: string, footer: string, suffix = '') =>
  `<path>/p/a</path>\n<type>file</type>\n<content>\n${body}\n\n(${footer})\n</content>${suffix}`

/** As 1.18.33 printed them. */
const outputs: readonly [string, string, { readonly offset?: number; readonly limit?: number }, string][] = [
  ['a whole file', 'l1\nl2\n', {}, shown('1: l1\n2: l2', 'End of file - total 2 lines')],
  ['one without a newline at its end', 'a\nb', {}, shown('1: a\n2: b', 'End of file - total 2 lines')],
  [
    'a part',
    'l1\nl2\nl3\nl4\nl5\n',
    { offset: 2, limit: 2 },
    shown('2: l2\n3: l3', 'Showing lines 2-3 of 5. Use offset=4 to continue.'),
  ],
  ['the rest', 'l1\nl2\nl3\n', { offset: 2 }, shown('2: l2\n3: l3', 'End of file - total 3 lines')],
  ['blank lines', '\n\n\n', {}, shown('1: \n2: \n3: ', 'End of file - total 3 lines')],
  ['other line ends', 'a\r\nb\rc\n', {}, shown('1: a\n2: b\n3: c', 'End of file - total 3 lines')],
  ['a byte order mark', '\uFEFFa\n', {}, shown('1: a', 'End of file - total 1 lines')],
  [
    'a long line',
    `${'x'.repeat(2500)}\n`,
    {},
    shown(`1: ${'x'.repeat(2000)}... (line truncated to 2000 chars)`, 'End of file - total 1 lines'),
  ],
]

const many = Array.from({ length: 2500 }, (_, line) => `line${line}`).join('\n')
const fat = Array.from({ length: 1500 }, (_, line) => 'y'.repeat(90) + line).join('\n')

/** The output of the same read when the file has this content, in the likeliest form or in any. */
const againIn = (output: string, content: string, limit?: number): readonly string[] =>
  readForms(output).map((form) => renderReadText(readAgain(form, Buffer.from(content), limit)))
const again = (output: string, content: string, limit?: number) => againIn(output, content, limit)[0]

const tight = (output: string) => output.replace('<content>\n', '<content>')

describe('the output of read', () => {
  it.each(outputs)('is rendered for %s', (_, content, { limit }, output) => {
    expect(again(output, content, limit)).toBe(output)
    // 1.2.27
    expect(againIn(tight(output), content, limit)).toContain(tight(output))
  })

  it.each<[string, string, number | undefined, string]>([
    ['a whole file', 'a\nb\n', undefined, shown('1: a\n2: b\n3: ', 'End of file - total 3 lines')],
    ['other line ends', 'a\r\nb\r\n', undefined, shown('1: a\r\n2: b\r\n3: ', 'End of file - total 3 lines')],
    [
      'a part',
      'a\nb\nc\n',
      2,
      shown('1: a\n2: b', "File has more lines. Use 'offset' parameter to read beyond line 2"),
    ],
  ])('is rendered for %s as 1.1.65 does', (_, content, limit, output) => {
    expect(again(tight(output), content, limit)).toBe(tight(output))
  })

  it('is cut by lines and by size', () => {
    const whole = shown('1: x', 'End of file - total 1 lines')
    expect(again(whole, many)).toContain('(Showing lines 1-2000 of 2500. Use offset=2001 to continue.)')
    expect(again(whole, fat)).toContain(
      '(Output capped at 50 KB. Showing lines 1-545. Use offset=546 to continue.)',
    )
    const old = tight(shown('1: x\n2: ', 'End of file - total 2 lines'))
    expect(again(old, fat)).toContain(
      "(Output truncated at 51200 bytes. Use 'offset' parameter to read beyond line 545)",
    )
  })

  it('grows with the file', () => {
    expect(again(shown('2: b', 'End of file - total 2 lines'), 'a\nb\nc\n')).toBe(
      shown('2: b\n3: c', 'End of file - total 3 lines'),
    )
  })

  it('keeps what stands behind the file', () => {
    const suffix = '\n\n<system-reminder>\nInstructions from: /p/AGENTS.md\nBe nice.\n</system-reminder>'
    expect(readForms(shown('1: x', 'End of file - total 1 lines', suffix))).toMatchObject([{ suffix }])
  })

  it.each([
    ['an empty file', shown('', 'End of file - total 0 lines')],
    ['a folder', '<path>/p</path>\n<type>directory</type>\n<entries>\nf\n\n(1 entries)\n</entries>'],
    ['a picture', 'Image read successfully'],
    ['numbers that jump', shown('1: a\n3: b', 'End of file - total 2 lines')],
    ['a footer of another release', shown('1: a', 'And so on')],
    ['another release', '<file>\n00001| a\n\n(End of file - total 1 lines)\n</file>'],
  ])('is not known for %s', (_, text) => {
    expect(readForms(text)).toEqual([])
  })
})
