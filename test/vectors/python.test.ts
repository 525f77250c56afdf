import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runVectors } from '../../src/commands/vectors.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const folder = join(import.meta.dirname, 'python')
// The program itself: what is found as python3 can be a script that takes long to find it.
const python = spawnSync(
  'python3',
  ['-c', 'import sys; print(sys.executable); sys.exit(sys.version_info < (3, 9))'],
  { encoding: 'utf8' },
)

const run = async (program: string, area: readonly string[]) => {
  let text = ''
  const code = await runVectors(
    { runner: `${JSON.stringify(python.stdout.trim())} -S -B ${JSON.stringify(program)}`, area },
    {
      stdout: (part) => {
        text += part
      },
    },
  )
  return { code, text }
}

const copy = async (): Promise<string> => {
  const copied = await temporaryFolder()
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.py')))
    copyFileSync(join(folder, name), join(copied, name))
  return copied
}

/** Mistakes that a reader of the specification can make: a line of the module, without its indentation, and another one in its place. */
const faults: Record<string, readonly [fault: string, right: string, wrong: string][]> = {
  fork: [
    ['there is a fork without a session', 'if session is None:', 'if session is None and not reset:'],
    ['RESET comes behind the counts', 'if reset:', 'if reset and every is None and over is None:'],
    [
      'one turn more is allowed',
      'if every is not None and session["iterations"] >= every:',
      'if every is not None and session["iterations"] > every:',
    ],
    [
      'the limit of tokens is too many',
      'if over is not None and session["tokens"] > over:',
      'if over is not None and session["tokens"] >= over:',
    ],
    ['turns are not looked at', 'return "context-fork-every"', 'return None'],
    ['another cause is named', 'return "context-fork-over"', 'return "context-fork-every"'],
  ],
  slug: [
    [
      'the path is not composed',
      'path = units(unicodedata.normalize("NFC", case["path"]))',
      'path = units(case["path"])',
    ],
    [
      'characters are counted, not units',
      'path = units(unicodedata.normalize("NFC", case["path"]))',
      'path = list(map(ord, unicodedata.normalize("NFC", case["path"])))',
    ],
    ['200 units are too many', 'if len(name) > LIMIT:', 'if len(name) >= LIMIT:'],
    [
      'the hash is that of the cut path',
      'name = f"{name[:LIMIT]}-{base36(hash32(path))}"',
      'name = f"{name[:LIMIT]}-{base36(hash32(path[:LIMIT]))}"',
    ],
    ['the hash has no sign', 'return abs(h - 2**32 if h >= 2**31 else h)', 'return h'],
    ['the hash does not overflow', 'h = (31 * h + unit) % 2**32', 'h = 31 * h + unit'],
    [
      'an underscore stays',
      'ALPHANUMERIC = set((string.ascii_letters + string.digits).encode())',
      'ALPHANUMERIC = set((string.ascii_letters + string.digits + "_").encode())',
    ],
  ],
  fingerprint: [
    ['null counts beside another type', 'return types - {"null"} or types', 'return types'],
    [
      'a cut name is longer',
      'return cut(value, 60) if isinstance(value, str) else "?"',
      'return cut(value, 61) if isinstance(value, str) else "?"',
    ],
    [
      'keys are sorted by code points',
      'return text.encode("utf-16-be", "surrogatepass")',
      'return text.encode("utf-32-be", "surrogatepass")',
    ],
    ['null is of another type', 'elif key in formats and value is not None:', 'elif key in formats:'],
    [
      'an optional key may not be null',
      'if found not in rows[key].types and not (rows[key].optional and value is None):',
      'if found not in rows[key].types:',
    ],
    ['a key that one record lacks is missing', 'if not others and len(lacking) < len(group):', 'if False:'],
    ['the newest release is not looked at', 'elif order and numbers(release) > max(order):', 'elif False:'],
    [
      'the installed release is not looked at',
      'release = installed if installed is not None else next(reversed(lines), None)',
      'release = next(reversed(lines), None)',
    ],
    [
      'a block that stays breaks nothing',
      'level = "breaking" if part.is_block and part.line in stays else "additive"',
      'level = "additive"',
    ],
    ['occurrences are not added', 'first["count"] += difference["count"]', 'pass'],
    [
      'an old OpenCode loses parts of what it resumes',
      'yield {"level": older, "kind": "release", **at}',
      'yield {"level": "breaking", "kind": "release", **at}',
    ],
    ['no prompt of OpenCode stays', 'return prompts[:1]', 'return []'],
    ['reads of OpenCode have no input', 'if part.get("tool") == "read":', 'if False:'],
    [
      'releases are not told apart',
      'groups.setdefault((part.release, part.name), []).append(part)',
      'groups.setdefault((releases[0], part.name), []).append(part)',
    ],
  ],
  keep: [
    [
      'a shorter fence closes',
      'if closing and closing[1].startswith(fence):',
      'if closing and closing[1][0] == fence[0]:',
    ],
    [
      'no KEEP line is an empty list',
      'output = {"keep": list(dict.fromkeys(kept)) if answered else None, "reset": reset}',
      'output = {"keep": list(dict.fromkeys(kept)), "reset": reset}',
    ],
    [
      'an entry counts twice',
      'output = {"keep": list(dict.fromkeys(kept)) if answered else None, "reset": reset}',
      'output = {"keep": kept if answered else None, "reset": reset}',
    ],
    ['none clears nothing', 'kept.clear()', 'pass'],
    [
      'none in quotes clears',
      'if entry.text.lower() == "none" and not entry.quoted:',
      'if entry.text.lower() == "none":',
    ],
    [
      'RESET counts behind other words',
      'asks = name == "RESET" and TRUE.match(value) is not None',
      'asks = name == "RESET" and TRUE.search(value) is not None',
    ],
    ['the byte order mark is lost', 'rest = [mark]', 'rest = [""]'],
    ['a comma in braces parts', 'at = braces.get(at, at) + 1', 'at = at + 1'],
    ['line numbers stay', 'return LINE_NUMBER.sub("", text.rstrip(".;:"))', 'return text.rstrip(".;:")'],
    ['a path of dots is punctuation', 'if not DOTS_AND_SLASHES.fullmatch(text):', 'if text:'],
    ['a list behind the line is passed over', 'awaits_items = not found', 'awaits_items = False'],
    [
      'every word of an item counts',
      'add(kept, [entry for entry in entries(item[1]) if entry.leads])',
      'add(kept, list(entries(item[1])))',
    ],
    ['brackets stay', 'return inner + behind if alone or is_list else value', 'return value'],
    ['remarks in parentheses stay', 'return behind.end() if behind else None', 'return None'],
  ],
}

const plantings = Object.entries(faults).flatMap(([area, list]) =>
  list.map(([fault, right, wrong]) => ({ area, fault, right, wrong })),
)

describe.skipIf(python.status !== 0)(
  'an implementation in Python, written from the specification alone',
  () => {
    it('passes the areas that it has, and skips the others', async () => {
      const { code, text } = await run(join(folder, 'runner.py'), [...Object.keys(faults), 'verdict'])
      expect(text).toMatch(/^skipped in verdict: all\n/)
      for (const area of Object.keys(faults)) expect(text).toMatch(new RegExp(`^${area} +\\d+ passed$`, 'm'))
      expect(text).toMatch(/^verdict +0 passed, \d+ skipped$/m)
      expect(code).toBe(0)
    })

    it('runs under the runner of the README as well', async () => {
      const readme = readFileSync(join(folder, '../../../vectors/README.md'), 'utf8')
      const runner = /^```python\n(.*?)^```$/ms.exec(readme)?.[1] ?? ''
      const there = await copy()
      writeFileSync(join(there, 'readme.py'), runner)
      writeFileSync(
        join(there, 'mine.py'),
        [
          'import keep as notes',
          'import slug as folder',
          'def parse_notes(text):',
          '    found = notes.keep({"text": text})',
          '    return found["keep"], found["reset"], found.get("rest")',
          'def slug(path):',
          '    return folder.slug({"path": path})["slug"]',
          '',
        ].join('\n'),
      )
      const { code, text } = await run(join(there, 'readme.py'), ['fork', 'keep', 'slug'])
      expect(text).toMatch(
        /^skipped in fork: all\nfork +0 passed, \d+ skipped\nkeep +\d+ passed\nslug +\d+ passed\n/,
      )
      expect(code).toBe(0)
      expect(runner.split('\n').length).toBeLessThanOrEqual(30)
    })

    it.each(plantings)('is found out in $area when $fault', async ({ area, right, wrong }) => {
      const there = await copy()
      const file = join(there, `${area}.py`)
      const lines = readFileSync(file, 'utf8').split('\n')
      expect(lines.filter((line) => line.trim() === right)).toHaveLength(1)
      writeFileSync(
        file,
        lines.map((line) => (line.trim() === right ? line.replace(right, () => wrong) : line)).join('\n'),
      )
      const { code, text } = await run(join(there, 'runner.py'), [area])
      expect(code).toBe(1)
      // A wrong answer, not a program that is broken.
      expect(text).toMatch(new RegExp(`^${area}-\\d{3} \\(§`))
      expect(text).not.toMatch(/Error\(/)
    })
  },
)
