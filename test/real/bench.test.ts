import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'yoke-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The figures that a bench writes. */
const figuresOf = async (...args: readonly string[]) => {
  const file = join(folder, `${args[0]}.json`)
  await promisify(execFile)(join(root, 'node_modules', 'bun', 'bin', 'bun.exe'), [
    join(root, 'scripts', 'bench.ts'),
    ...args,
    ...['--json', file],
  ])
  return JSON.parse(readFileSync(file, 'utf8')).figures
}

/** Some minutes of the real CLI. */
describe.skipIf(!process.env['YOKE_NIGHTLY'])('a bench that plays a job', () => {
  it('books each strategy with each pause: what is lost is read again, and what stays is carried along', async () => {
    const { runs } = await figuresOf('cost', '--share', '0.2', '--iterations', '2')
    expect(runs).toHaveLength(6 * 3)
    const played = (strategy: string) =>
      runs.find((run: { strategy: string; pause: number }) => run.strategy === strategy && run.pause === 0)
    expect(played('trim (default)').rereads).toBe(0)
    expect(played('fresh').rereads).toBeGreaterThan(0)
    const start = (strategy: string) => played(strategy).accounts[1].contextAtStart
    expect(start('fresh')).toBeLessThan(start('trim (default)'))
    expect(start('trim (default)')).toBeLessThan(start('resume'))
  }, 600_000)

  it('asks for the cache to be kept an hour', async () => {
    const { runs } = await figuresOf('cost', '--share', '0.2', '--iterations', '1', '--lifetime', '1h')
    for (const { accounts } of runs)
      expect(accounts[0].tokens).toMatchObject({ write5m: 0, write1h: expect.any(Number) })
    expect(runs[0].accounts[0].tokens.write1h).toBeGreaterThan(0)
  }, 600_000)

  it('sees what of the first request was sent before, in each order', async () => {
    const { rows, runs } = await figuresOf('prefix', '--iterations', '2')
    expect(rows).toHaveLength(6 * 4)
    for (const { starts } of runs) {
      expect(starts).toHaveLength(2)
      expect(starts[0].sentBefore).toBe(0)
      expect(starts[1].sentBefore).toBeGreaterThanOrEqual(starts[1].head)
    }
  }, 600_000)
})
