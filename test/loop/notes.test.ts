import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseNotes, withoutReset } from '../../src/loop/notes.ts'

const keep = (text: string) => parseNotes(text).keep

/** Notes, what must be kept, and what the case is about. */
type Row = readonly [text: string, expected: readonly string[] | undefined, about: string]

const entries: readonly Row[] = [
  ['KEEP: a.ts, b.ts', ['a.ts', 'b.ts'], 'commas part'],
  ['KEEP: a.ts b.ts\tc.ts', ['a.ts', 'b.ts', 'c.ts'], 'white space parts'],
  ['KEEP: a.ts ,, , b.ts,', ['a.ts', 'b.ts'], 'empty places do not count'],
  ['KEEP:a.ts', ['a.ts'], 'no space is needed behind the colon'],
  ['KEEP: a.ts a.ts b.ts a.ts', ['a.ts', 'b.ts'], 'each once, in the order of the first'],
  ['KEEP: src/core/** src/*.{ts,tsx}', ['src/core/**', 'src/*.{ts,tsx}'], 'globs, with commas in braces'],
  ['KEEP: src/{a,{b,c}}/x.ts, d', ['src/{a,{b,c}}/x.ts', 'd'], 'braces within braces'],
  ['KEEP: a{b, c}d', ['a{b', 'c}d'], 'white space in braces parts'],
  ['KEEP: a{b,c', ['a{b', 'c'], 'a brace that is not closed holds nothing'],
  ['KEEP: "docs/my file.md", x', ['docs/my file.md', 'x'], 'double quotes hold white space'],
  ["KEEP: 'my, file.md' x", ['my, file.md', 'x'], 'single quotes hold commas'],
  ['KEEP: `src/a.ts`, `b c.ts`', ['src/a.ts', 'b c.ts'], 'backticks are quotes'],
  ['KEEP: “a b.ts” ‘c d.ts’', ['a b.ts', 'c d.ts'], 'curly quotes'],
  ['KEEP: "a\'b.ts" \'c"d.ts\'', ["a'b.ts", 'c"d.ts'], 'quotes hold the other quotes'],
  ['KEEP: "C:\\dir\\"', ['C:\\dir\\'], 'a backslash escapes nothing'],
  ['KEEP: "my dir"/**', ['my dir/**'], 'what adjoins a quote belongs to it'],
  ['KEEP: "a""b"', ['a', 'b'], 'a quote begins a new entry'],
  ['KEEP: "a b.ts, c.ts', ['a', 'b.ts', 'c.ts'], 'a quote that is not closed is left out'],
  ["KEEP: it's.md, don't.md", ["it's.md", "don't.md"], 'an apostrophe within an entry'],
  ['KEEP: "" a', ['a'], 'empty quotes name nothing'],
  ['KEEP: [a.ts, b.ts]', ['a.ts', 'b.ts'], 'brackets around a list'],
  ['KEEP: [a.ts, b.ts] # both', ['a.ts', 'b.ts'], 'brackets around a list, with a comment'],
  ['KEEP: ["a b.ts", c]', ['a b.ts', 'c'], 'quotes in brackets'],
  ['KEEP: [id]/page.tsx, [slug]', ['[id]/page.tsx', '[slug]'], 'brackets that belong to names'],
  ['KEEP: src/[id]/page.tsx', ['src/[id]/page.tsx'], 'brackets in the middle'],
  ['KEEP: app/(auth)/page.tsx', ['app/(auth)/page.tsx'], 'parentheses in the middle'],
  ['KEEP: (auth)/page.tsx', ['(auth)/page.tsx'], 'parentheses that a name begins with'],
  ['KEEP: @(a|b).ts +(c).ts', ['@(a|b).ts', '+(c).ts'], 'extended globs'],
  ['KEEP: .', ['.'], 'a dot is a path'],
  ['KEEP: ./a ../b .. ./', ['./a', '../b', '..', './'], 'dots are parts of paths'],
  ['KEEP: .env .github/**', ['.env', '.github/**'], 'names that begin with a dot'],
  ['KEEP: a\u0000b \u0007c', ['a', 'b', 'c'], 'control characters are white space'],
  ['KEEP: a\u00a0b\u3000c', ['a', 'b', 'c'], 'so is other Unicode white space'],
  ['KEEP: a\u2028b', ['a', 'b'], 'a Unicode line separator ends no line'],
  ['KEEP: src/日本語.ts, "näh e.md"', ['src/日本語.ts', 'näh e.md'], 'any letters'],
]

const remarks: readonly Row[] = [
  ['KEEP: a.ts (the parser), b.ts', ['a.ts', 'b.ts'], 'a remark in parentheses'],
  ['KEEP: a.ts (see (b) too), c.ts', ['a.ts', 'c.ts'], 'parentheses within'],
  ['KEEP: a.ts (not closed', ['a.ts', '(not', 'closed'], 'a parenthesis that is not closed'],
  ['KEEP: a.ts # b.ts', ['a.ts'], 'a hash ends the line'],
  ['KEEP: a#b.ts', ['a#b.ts'], 'a hash within a name'],
  ['KEEP: a.ts <!-- why --> b.ts', ['a.ts', 'b.ts'], 'an HTML comment'],
  ['KEEP: a.ts <!-- why', ['a.ts'], 'an HTML comment up to the end'],
  ['KEEP: a.ts - the parser, b.ts — the rest', ['a.ts', 'b.ts'], 'a dash, up to the comma'],
  ['KEEP: a.ts -> x, b.ts → y', ['a.ts', 'b.ts'], 'arrows'],
  ['KEEP: - a.ts', ['a.ts'], 'a dash before any entry is nothing'],
  ['KEEP: a-b.ts -c', ['a-b.ts', '-c'], 'dashes in names'],
  ['KEEP: a.ts, b.ts.', ['a.ts', 'b.ts'], 'a full stop at the end'],
  ['KEEP: a.ts; b.ts;', ['a.ts', 'b.ts'], 'semicolons'],
  ['KEEP: `a.ts`; "b.ts".', ['a.ts', 'b.ts'], 'punctuation behind quotes'],
  ['KEEP: a.ts:12 b.ts:3-40, c.ts:1:5.', ['a.ts', 'b.ts', 'c.ts'], 'line numbers'],
  ['KEEP: "a.ts:12" `b.ts`:12', ['a.ts:12', 'b.ts'], 'a line number in quotes is part of the name'],
  ['KEEP: : ; :12', [], 'punctuation alone names nothing'],
]

const lines: readonly Row[] = [
  ['', undefined, 'no line'],
  ['Some notes.\n', undefined, 'no KEEP line'],
  ['KEEP:', [], 'an empty KEEP line'],
  ['KEEP: \nKEEP: a', ['a'], 'an empty line adds nothing'],
  ['KEEP: a\nKEEP: b', ['a', 'b'], 'lines add up'],
  ['KEEP: none', [], 'none'],
  ['KEEP: a\nKEEP: none\nKEEP: b', ['b'], 'none clears what stands before it'],
  ['KEEP: a NONE, b', ['b'], 'within a line too, in any case'],
  ['KEEP: none.', [], 'none with a full stop'],
  ['KEEP: a\nKEEP: none (start over)', [], 'none with a remark'],
  ['KEEP: a "none"', ['a', 'none'], 'a file of that name stands in quotes'],
  ['KEEP: nonesuch.ts', ['nonesuch.ts'], 'a name that begins so'],
  ['KEEP: a\r\nKEEP: b\r\n', ['a', 'b'], 'CRLF'],
  ['\uFEFFKEEP: a', ['a'], 'a byte order mark'],
  ['x\n\uFEFFKEEP: a', ['a'], 'a mark elsewhere is white space'],
  ['KEEP : a', ['a'], 'white space before the colon'],
  ['   KEEP: a\n\tKEEP: b\n        KEEP: c', ['a', 'b', 'c'], 'indentation'],
  ['- KEEP: a\n* KEEP: b\n+ KEEP: c\n1. KEEP: d\n2) KEEP: e', ['a', 'b', 'c', 'd', 'e'], 'list markers'],
  ['- [ ] KEEP: a\n- [x] KEEP: b', ['a', 'b'], 'check boxes'],
  ['> KEEP: a\n>KEEP: b\n> > - KEEP: c', ['a', 'b', 'c'], 'block quotes'],
  ['## KEEP: a', ['a'], 'a heading'],
  ['**KEEP:** a\n**KEEP**: b\n__KEEP:__ c\n*KEEP:* d\n_KEEP_: e', ['a', 'b', 'c', 'd', 'e'], 'emphasis'],
  ['**KEEP: a, b**', ['a', 'b'], 'emphasis around the line'],
  ['**KEEP:** src/**', ['src/**'], 'a glob that ends like emphasis'],
  ['`KEEP: a, b`\n`KEEP:` c\n`KEEP`: d', ['a', 'b', 'c', 'd'], 'code'],
  ['keep: a\nKeep: b', undefined, 'prose begins a line in lower case'],
  ['I write KEEP: a\nUNKEEP: b\nKEEPER: c\nKEEP a\nKEEP = d', undefined, 'not a directive'],
  ['KEEP: a KEEP: b', ['a', 'KEEP', 'b'], 'one directive a line'],
]

const items: readonly Row[] = [
  ['KEEP:\n- a.ts\n- b.ts', ['a.ts', 'b.ts'], 'list items behind an empty line'],
  [
    '**KEEP:**\n\n* `a b.ts` the parser\n\n* b.ts: why, c.ts\n',
    ['a b.ts', 'b.ts', 'c.ts'],
    'with remarks and blank lines',
  ],
  ['KEEP: (these)\n1. a.ts\n2) b.ts\n  - [x] c.ts', ['a.ts', 'b.ts', 'c.ts'], 'numbers and check boxes'],
  ['KEEP:\n- a.ts\ntext\n- b.ts', ['a.ts'], 'other text ends the list'],
  ['KEEP:\ntext\n- b.ts', [], 'a list elsewhere is none of it'],
  ['KEEP: a.ts\n- b.ts', ['a.ts'], 'a line with entries has no list'],
  ['KEEP: none\n- b.ts', [], 'none has no list'],
  ['KEEP:\n- RESET: TRUE\n- a.ts', [], 'a directive ends the list'],
  ['KEEP:\n- a\n```\n- b\n```\n- c', ['a'], 'code ends the list'],
  ['KEEP:\n> - a\r\n> - b\r\n', ['a', 'b'], 'in a block quote'],
]

const fences: readonly Row[] = [
  ['```\nKEEP: a\n```', undefined, 'a line in code does not count'],
  ['```\nKEEP: a\n```\nKEEP: b', ['b'], 'one behind it does'],
  ['~~~\nKEEP: a\n```\nKEEP: b\n~~~\nKEEP: c', ['c'], 'another fence closes nothing'],
  ['```md title="x"\nKEEP: a\n```\nKEEP: b', ['b'], 'an info string'],
  ['``` a`b\nKEEP: a', ['a'], 'no fence: a backtick in what follows'],
  ['~~~ a`b\nKEEP: a', undefined, 'a tilde fence may have one'],
  ['````\n```\nKEEP: a\n`````\nKEEP: b', ['b'], 'closed by one at least as long'],
  ['```\nKEEP: a\n``` x\nKEEP: b', undefined, 'a closing fence stands alone'],
  ['KEEP: a\n```\nKEEP: b', ['a'], 'one that is not closed goes to the end'],
  ['``\nKEEP: a\n``', ['a'], 'two are no fence'],
  ['- x\n    ```\n    KEEP: a\n    ```\nKEEP: b', ['b'], 'in a list item'],
  ['- ```\n  KEEP: a\n  ```\nKEEP: b', ['b'], 'behind a list marker'],
  ['> ```\n> KEEP: a\n> ```\nKEEP: b', ['b'], 'in a block quote'],
  ['```\r\nKEEP: a\r\n```\r\nKEEP: b', ['b'], 'CRLF'],
  ['```js```\nKEEP: a', ['a'], 'inline code is no fence'],
  ['```\nRESET: TRUE\n```', undefined, 'nor does RESET count there'],
]

describe.each([
  ['entries', entries],
  ['remarks', remarks],
  ['lines', lines],
  ['list items', items],
  ['fenced code', fences],
])('KEEP: %s', (_, rows) => {
  it.each(rows)('%j gives %j: %s', (text, expected) => {
    expect(keep(text)).toEqual(expected)
  })
})

describe('RESET', () => {
  it.each([
    'RESET: TRUE',
    'RESET: true',
    '- **RESET:** True.',
    '`RESET: TRUE`',
    'RESET: "TRUE"',
    'RESET: **TRUE**',
    'RESET : TRUE (I am confused)',
    'RESET: TRUE because of the old plan',
    'x\r\n> RESET:TRUE\r\ny',
    '\uFEFFRESET: TRUE',
    'RESET: FALSE\nRESET: TRUE',
    'RESET: TRUE\nRESET: FALSE',
  ])('%j asks for a fork, once', (text) => {
    expect(parseNotes(text).reset).toBe(true)
    expect(parseNotes(withoutReset(text)).reset).toBe(false)
  })

  it.each([
    '',
    'RESET:',
    'RESET: FALSE',
    'reset: true',
    'RESET',
    'RESET: TRUELY',
    'RESET: no, TRUE',
    'then RESET: TRUE',
    '```\nRESET: TRUE\n```',
  ])('%j does not, and stays as it is', (text) => {
    expect(parseNotes(text).reset).toBe(false)
    expect(withoutReset(text)).toBe(text)
  })

  it('takes out the line with its end and nothing else', () => {
    expect(withoutReset('a\r\nRESET: TRUE\r\n\r\nb\r\n')).toBe('a\r\n\r\nb\r\n')
    expect(withoutReset('a\nRESET: TRUE')).toBe('a\n')
    expect(withoutReset('\uFEFFRESET: TRUE\nKEEP: a \u0000')).toBe('\uFEFFKEEP: a \u0000')
    expect(withoutReset('RESET: TRUE\nx\n- RESET: true!\n```\nRESET: TRUE\n')).toBe('x\n```\nRESET: TRUE\n')
  })
})

const someLine = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'RESET: TRUE',
    'KEEP: a',
    'KEEP:',
    '```',
    '~~~~',
    '- b',
    '> RESET: TRUE',
    '',
    'KEEP: none',
    '**KEEP: "x',
  ),
)
const someText = fc
  .array(fc.tuple(someLine, fc.constantFrom('\n', '\r\n')))
  .map((all) => all.map(([line, end]) => line + end).join(''))

describe('any text', () => {
  it('gives back a path that is written in quotes', () => {
    const path = fc.stringMatching(/^[^\u0000-\u001f\u007f"`]{1,40}$/)
    fc.assert(
      fc.property(
        fc.array(path),
        fc.constantFrom('"', '`'),
        fc.constantFrom(', ', ' ', ',', ' , '),
        (paths, quote, between) => {
          const line = `KEEP: ${paths.map((each) => quote + each + quote).join(between)}`
          expect(keep(line)).toEqual([...new Set(paths)])
        },
      ),
    )
  })

  it('is kept but for the lines that ask for a fork, and asks no more', () => {
    fc.assert(
      fc.property(someText, (text) => {
        const rest = withoutReset(text)
        expect(parseNotes(rest).reset).toBe(false)
        expect(withoutReset(rest)).toBe(rest)
        expect(parseNotes(rest).keep === undefined).toBe(parseNotes(text).keep === undefined)
        if (!parseNotes(text).reset) expect(rest).toBe(text)
      }),
    )
  })

  it('names each entry once, and none that is empty or has a control character', () => {
    fc.assert(
      fc.property(someText, fc.string(), (text, value) => {
        const found = keep(`${text}\n~~~~\n\`\`\`\nKEEP: ${value}`) ?? []
        expect(new Set(found).size).toBe(found.length)
        for (const entry of found) expect(entry).toMatch(/^[^\u0000-\u001f\u007f]+$/)
      }),
    )
  })

  it.each([
    ['spaces', ' '.repeat(2_000_000)],
    ['quotes that are not closed', 'KEEP: '.concat('“a '.repeat(300_000))],
    ['parentheses', 'KEEP: '.concat('( '.repeat(500_000))],
    ['braces', 'KEEP: '.concat('{a'.repeat(500_000))],
    ['dots', `KEEP: ${'.'.repeat(2_000_000)}x`],
    ['colons', `KEEP: ${':1'.repeat(500_000)}x`],
    ['one entry', `KEEP: ${'a'.repeat(5_000_000)}`],
    ['many entries', `KEEP: ${Array.from({ length: 200_000 }, (_, index) => `f${index}`).join(' ')}`],
    ['many lines', 'KEEP: a\n'.repeat(200_000)],
    ['quote marks', '> '.repeat(500_000)],
    ['backticks', '`'.repeat(2_000_000).concat('x`')],
    ['comment', `KEEP: <!--${'-'.repeat(2_000_000)}`],
    ['brackets', `KEEP: ${'['.repeat(1_000_000)}`],
  ])('is read in a time that grows with its length: %s', (_, text) => {
    // Of this process: how busy the machine is makes no difference.
    const before = process.cpuUsage()
    parseNotes(text)
    withoutReset(text)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(3000)
  })
})
