import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFrontMatter } from '../../src/task/front-matter.ts'

const read = (text: string) => parseFrontMatter(text, 'task.md')

describe('front matter', () => {
  it.each([
    ['Do it.\n', {}, 'Do it.\n'],
    ['---\na: 1\n---\nDo it.\n', { a: 1 }, 'Do it.\n'],
    ['\uFEFF---\na: 1\n---\nDo it.', { a: 1 }, 'Do it.'],
    ['---\r\na: 1\r\nb: x\r\n---\r\nDo\r\nit.\r\n', { a: 1, b: 'x' }, 'Do\r\nit.\r\n'],
    ['--- \na: 1\n---\t\nDo it.', { a: 1 }, 'Do it.'],
    ['---\n---\nDo it.', {}, 'Do it.'],
    ['---\n# nothing\n---\nDo it.', {}, 'Do it.'],
    ['---\na: 1\n---', { a: 1 }, ''],
    ['---\na: 1\n---\nx\n---\ny\n', { a: 1 }, 'x\n---\ny\n'],
    ['Do it.\n---\na: 1\n---\n', {}, 'Do it.\n---\na: 1\n---\n'],
    ['\n---\na: 1\n---\n', {}, '\n---\na: 1\n---\n'],
    ['----\nx', {}, '----\nx'],
    ['---\na: on\nb: off\nc: true\nd: yes\n---\n', { a: 'on', b: 'off', c: true, d: 'yes' }, ''],
    ['---\na: 012\nb: 1:30\n---\n', { a: 12, b: '1:30' }, ''],
    ['---\na: &x [1]\nb: *x\n---\n', { a: [1], b: [1] }, ''],
  ])('%j is read', (text, values, prompt) => {
    const found = read(text)
    expect(found.values).toEqual(values)
    expect(found.prompt).toBe(prompt)
  })

  it('knows the line of each directive', () => {
    expect(read('---\n# x\na: 1\n\nb:\n  - 2\n---\n').lines).toEqual({ a: 3, b: 5 })
  })

  it('keeps any prompt as it is', () => {
    fc.assert(
      fc.property(fc.string(), (prompt) => {
        expect(read(`---\na: 1\n---\n${prompt}`).prompt).toBe(prompt)
      }),
    )
  })
})

describe('front matter that is refused', () => {
  it.each([
    ['bad syntax, with line and column', '---\na: 1\nb: [1\n---\n', 'E_TASK_YAML', /^task\.md:[34]:\d+: /],
    ['a duplicate key', '---\na: 1\na: 2\n---\n', 'E_TASK_YAML', /^task\.md:3:1: .*unique/],
    ['a tab as indentation', '---\na:\n\tb: 1\n---\n', 'E_TASK_YAML', /^task\.md:3:\d: /],
    ['a list', '---\n- a\n---\n', 'E_TASK_YAML', /^task\.md:2:1: .*mapping/],
    ['plain text', '---\nhello\n---\n', 'E_TASK_YAML', /^task\.md:2:1: .*mapping/],
    ['an unknown tag', '---\na: !x 1\n---\n', 'E_TASK_YAML', /^task\.md:2:4: .*tag/],
    ['an unknown alias', '---\na: *x\n---\n', 'E_TASK_YAML', /^task\.md:2:4: .*alias/i],
    ['a key that is a list', '---\n? [a]\n: 1\n---\n', 'E_TASK_YAML', /^task\.md:2:\d: .*plain text/],
    ['several documents', '---\na: 1\n...\nb: 1\n---\n', 'E_TASK_YAML', /^task\.md:\d:\d: /],
    ['no end', '---\na: 1\n', 'E_TASK_FRONT_MATTER', /closes/],
    ['nothing but a rule', '---', 'E_TASK_FRONT_MATTER', /closes/],
    [
      'aliases that grow without measure',
      `---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n${[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `a${n}: &a${n} [${Array(9).fill(`*a${n - 1}`)}]`).join('\n')}\n---\n`,
      'E_TASK_YAML',
      /alias/i,
    ],
  ])('%s', (_, text, code, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ name: 'YokeError', code, exit: 2, message: expect.stringMatching(message) }),
    )
  })
})
