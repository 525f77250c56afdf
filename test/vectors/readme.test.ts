import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runVectors } from '../../src/commands/vectors.ts'
import { areas } from '../../src/vectors/areas.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'vectors', 'README.md'), 'utf8')
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })

describe('the README of the vectors', () => {
  it('has a row for every area', () => {
    const rows = [...readme.matchAll(/^\| `([a-z]+)` +\|.*\|.*\|$/gm)].map(([, name]) => name)
    expect(Object.keys(areas).filter((name) => !rows.includes(name))).toEqual([])
  })

  it.skipIf(python.status !== 0)('shows a runner that works as it stands', async () => {
    const runner = /```python\n(.*?)```/s.exec(readme)?.[1] ?? ''
    expect(runner.trimEnd().split('\n').length).toBeLessThanOrEqual(30)
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'runner.py'), runner)
    writeFileSync(
      join(folder, 'mine.py'),
      `import sys
sys.path.append(${JSON.stringify(join(import.meta.dirname, 'python'))})
import keep as notes, slug as names

def parse_notes(text):
    found = notes.keep({"text": text})
    return found["keep"], found["reset"], found.get("rest")

def slug(path):
    return names.slug({"path": path})["slug"]
`,
    )
    let text = ''
    const program = [python.stdout.trim(), '-S', '-B', join(folder, 'runner.py')]
    const code = await runVectors(
      { runner: program.map((word) => JSON.stringify(word)).join(' '), area: ['keep', 'slug', 'fork'] },
      {
        stdout: (part) => {
          text += part
        },
      },
    )
    expect(text).toMatch(/^fork +0 passed, \d+ skipped\nkeep +\d+ passed\nslug +\d+ passed\n/m)
    expect(code).toBe(0)
  })
})
