import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal, readJournal } from '../../src/run/journal.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const at = new Date('2026-12-01T09:00:00Z')

it('gives back what was appended, over several openings', async () => {
  const file = join(await temporaryFolder(), 'events.jsonl')
  for (const iteration of [1, 2]) {
    const journal = openJournal(file, 'r1')
    journal.append({ type: 'iteration.started', iteration }, at)
    journal.close()
  }
  expect(readJournal(file)).toEqual(
    [1, 2].map((iteration) => ({ type: 'iteration.started', at: at.toISOString(), run: 'r1', iteration })),
  )
})

it.each([
  '{"type":"iterat',
  '{"type":"iteration.started","at":"2026-12-01T09:00:00.000Z","run":"r1","iteration":2}',
])(
  'passes over a last line that a power loss cut off, and goes on behind the whole ones: %s',
  async (torn) => {
    const file = join(await temporaryFolder(), 'events.jsonl')
    const first = openJournal(file, 'r1')
    first.append({ type: 'iteration.started', iteration: 1 }, at)
    first.close()
    appendFileSync(file, torn)
    expect(readJournal(file)).toHaveLength(1)
    const second = openJournal(file, 'r1')
    second.append({ type: 'iteration.started', iteration: 3 }, at)
    second.close()
    expect(readJournal(file)).toMatchObject([{ iteration: 1 }, { iteration: 3 }])
  },
)

it('names the line of any other damage, and leaves the file alone', async () => {
  const file = join(await temporaryFolder(), 'events.jsonl')
  const text =
    '{"type":"run.stopping","at":"2026-12-01T09:00:00.000Z","run":"r1","signal":"SIGINT"}\n{"type":"nonsense"}\n'
  writeFileSync(file, text)
  expect(() => readJournal(file)).toThrow(`${file}:2`)
  expect(readFileSync(file, 'utf8')).toBe(text)
})
