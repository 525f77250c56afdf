import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runVectors } from '../../src/commands/vectors.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const program = join(import.meta.dirname, 'python', 'runner.py')
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

const run = async (file: string, area: readonly string[]) => {
  let text = ''
  const code = await runVectors(
    { runner: `python3 ${JSON.stringify(file)}`, area },
    {
      stdout: (part) => {
        text += part
      },
    },
  )
  return { code, text }
}

describe.skipIf(!hasPython)('an implementation in Python', () => {
  it('passes the areas that it has, and skips the others', async () => {
    const { code, text } = await run(program, ['keep', 'slug', 'fork', 'verdict'])
    expect(text).toMatch(
      /^skipped in verdict: all\nfork +14 passed\nkeep +128 passed\nverdict +0 passed, 20 skipped\nslug/,
    )
    expect(code).toBe(0)
  })

  // Mistakes that a reader of the specification can make.
  it.each<[fault: string, area: string, right: string, wrong: string]>([
    ['no KEEP line is an empty list', 'keep', 'None if kept is None else ', ''],
    ['entries are not made unique', 'keep', 'list(dict.fromkeys(kept))', 'list(kept)'],
    ['none clears only its own line', 'keep', '                kept = []', '                pass'],
    ['a fence is closed by a shorter one', 'keep', 'closed[1].startswith(fence)', 'closed[1][0] == fence[0]'],
    ['RESET counts anywhere in the value', 'keep', 're.match(r"[\\"', 're.search(r"[\\"'],
    [
      'the mark before the text is lost',
      'keep',
      'MARK if text.startswith(MARK) else ""',
      '"" if text.startswith(MARK) else ""',
    ],
    ['line numbers stay', 'keep', '(?:-[0-9]+)?){1,2}$', '(?:-[0-9]+)?){9}$'],
    ['a list below a KEEP line is passed over', 'keep', 'awaits_items = not new', 'awaits_items = False'],
    [
      'a comma in braces parts',
      'keep',
      'if line[at] != "{":\n            at += 1',
      'if True:\n            at += 1',
    ],
    ['the hash is that of the cut path', 'slug', 'for unit in path:', 'for unit in path[:200]:'],
    ['the hash is not made positive', 'slug', 'abs(signed)', 'signed % 2**32'],
    ['a path is not composed', 'slug', '"NFC"', '"NFD"'],
    ['200 units are too many', 'slug', '<= 200', '< 200'],
    ['characters are counted, not units', 'slug', 'units(unicodedata', 'list(map(ord, unicodedata'],
    ['a limit of turns is passed', 'fork', '>= every', '> every'],
    ['a limit of tokens is met', 'fork', '> over', '>= over'],
    ['RESET comes last', 'fork', 'if case["reset"]:', 'if case["reset"] and every is None:'],
    ['RESET without a session', 'fork', 'if session is None:', 'if session is None and not case["reset"]:'],
  ])('is caught when %s', async (fault, area, right, wrong) => {
    const source = readFileSync(program, 'utf8')
    expect(source.split(right)).toHaveLength(2)
    const broken = join(await temporaryFolder(), 'runner.py')
    const closing = fault.startsWith('characters') ? [['case["path"]))', 'case["path"])))'] as const] : []
    writeFileSync(
      broken,
      [[right, wrong] as const, ...closing].reduce((text, [from, to]) => text.replace(from, to), source),
    )
    const { code, text } = await run(broken, [area])
    expect(code).toBe(1)
    expect(text).toMatch(new RegExp(`^${area}-\\d{3} \\(§`))
  })
})
