import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { appendToLog } from '../../../src/run/steps/cycle.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const entry = (cycle: number) => ({
  entry: `## Cycle ${cycle}\n<!-- yoke r/${cycle} -->\n`,
  mark: `<!-- yoke r/${cycle} -->`,
})

describe('the saga log', () => {
  it('begins with the first cycle, and gets each one once, also when it is written again after a kill', async () => {
    const file = join(await temporaryFolder(), 'saga-log.md')
    for (const cycle of [1, 1, 2, 1, 2]) await appendToLog(file, entry(cycle))
    expect(readFileSync(file, 'utf8')).toBe(`${entry(1).entry}\n${entry(2).entry}`)
  })

  it.each([
    ['a remark', 'a remark\n\n'],
    ['a remark\n', 'a remark\n\n'],
    ['', ''],
  ])('keeps what stands there: %j', async (before, kept) => {
    const file = join(await temporaryFolder(), 'saga-log.md')
    writeFileSync(file, before)
    await appendToLog(file, entry(1))
    expect(readFileSync(file, 'utf8')).toBe(kept + entry(1).entry)
  })

  it('does not take cycle 12 for cycle 1', async () => {
    const file = join(await temporaryFolder(), 'saga-log.md')
    await appendToLog(file, entry(12))
    await appendToLog(file, entry(1))
    expect(readFileSync(file, 'utf8')).toContain(entry(1).mark)
  })
})
