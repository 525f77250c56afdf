import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { session, text, use } from '../helpers/session.ts'
import { workplace } from './workplace.ts'

const bun = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'bun')
const isNightly = process.env['YOKE_NIGHTLY'] === '1'
const sizes = isNightly ? [500e6, 2000e6] : [20e6, 80e6]

/** Peak memory in MB of a program that trims a session of this size, made of one call after the other. */
const peakOf = async (bytes: number, resultBytes: number): Promise<number> => {
  const place = await workplace()
  const story = session({ cwd: place.cwd })
  const descriptor = openSync(place.file, 'w')
  let written = 0
  const flush = () => {
    for (const line of story.lines().splice(0)) written += writeSync(descriptor, `${line}\n`)
  }
  story.prompt('Do the task')
  while (written < bytes) {
    for (let n = 0; n < 10; n += 1) {
      story.answer([use(`b${n}`, 'Bash', { command: 'x' })])
      story.result(`b${n}`, 'x'.repeat(resultBytes))
    }
    flush()
  }
  story.answer([text('Done.')])
  flush()
  closeSync(descriptor)
  const request = {
    file: place.file,
    keep: ['a.ts'],
    cwd: place.cwd,
    staleReads: 'refresh',
    backup: place.backup,
    dryRun: true,
  }
  const code = `const { trim } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/transcript/trim.ts'))})
    const { status } = await trim(${JSON.stringify(request)})
    console.log(status, process.resourceUsage().maxRSS)`
  const { stdout, stderr } = spawnSync(bun, ['-e', code], { encoding: 'utf8' })
  const [, peak] = /^planned (\d+)$/m.exec(stdout) ?? []
  if (peak === undefined) throw new Error(`${stdout}${stderr}`)
  return Number(peak) / 1024
}

// The CLI itself took 1.46 GB for a session of 200 MB (measured on Claude Code 2.1.332).
describe('peak memory of a trim (anthropics/claude-code#22365, #21179, #20367, #21022, #83682)', () => {
  it.each([
    ['small', 400],
    ['large', 400_000],
  ])(
    'is below 150 MB and does not grow with the session, of %s lines',
    { timeout: 600_000 },
    async (_, resultBytes) => {
      const [less = 0, more = 0] = [
        await peakOf(sizes[0] ?? 0, resultBytes),
        await peakOf(sizes[1] ?? 0, resultBytes),
      ]
      expect(more).toBeLessThan(150)
      expect(more - less).toBeLessThan(25)
    },
  )
})
