import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runVectors, type VectorsOptions } from '../../src/commands/vectors.ts'
import { YokeError } from '../../src/errors.ts'
import { processStart } from '../../src/system/process-start.ts'
import { areas } from '../../src/vectors/areas.ts'
import { startRunner } from '../../src/vectors/external.ts'
import { vectorFiles } from '../../src/vectors/files.ts'
import { loadCases } from '../../src/vectors/load.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

type Report = {
  readonly areas: readonly { area: string; passed: number; failed: number; skipped: readonly string[] }[]
  readonly cases: readonly { id: string; status: string; problem?: string }[]
}

const vectors = async (options: VectorsOptions): Promise<{ code: number; text: string }> => {
  let text = ''
  const code = await runVectors(options, {
    stdout: (part) => {
      text += part
    },
  })
  return { code, text }
}

const runner = (name: string, ...args: readonly string[]): string =>
  [process.execPath, join(import.meta.dirname, 'runners', `${name}.mjs`), ...args]
    .map((word) => JSON.stringify(word))
    .join(' ')

const cases = loadCases(vectorFiles(), areas)
/** Of the area `slug`: one of them has the answer that the runners give. */
const all = cases.filter(({ area }) => area === 'slug').length

const slugs = async (name: string, args: readonly string[] = [], more: VectorsOptions = {}) => {
  const { code, text } = await vectors({
    runner: runner(name, ...args),
    area: ['slug'],
    format: 'json',
    ...more,
  })
  const report: Report = JSON.parse(text)
  return { code, report, problems: report.cases.map(({ problem }) => problem) }
}

describe('yoke itself', () => {
  it('passes every case of an area', async () => {
    const { code, text } = await vectors({ area: ['fork', 'slug'] })
    expect(code).toBe(0)
    expect(text).toMatch(/^fork +\d+ passed\nslug +\d+ passed\nall +\d+ passed\n$/)
  })

  it('names the areas that there are when one is asked for that is not', async () => {
    const asked = vectors({ area: ['slugs'] })
    await expect(asked).rejects.toThrow(YokeError)
    await expect(asked).rejects.toMatchObject({
      code: 'E_UNKNOWN_AREA',
      exit: 2,
      fix: expect.stringContaining('slug'),
    })
  })
})

describe('a runner', () => {
  it('that answers wrongly fails the cases, with what was expected', async () => {
    const { code, report, problems } = await slugs('wrong')
    expect(code).toBe(1)
    expect(report.areas).toEqual([{ area: 'slug', passed: 1, failed: all - 1, skipped: [] }])
    expect(problems[0]).toBeUndefined()
    expect(problems[3]).toBe('slug: expected "C--Users-me", got "-work-main"')
  })

  it('that skips fails nothing, and the skipped cases are listed', async () => {
    const { code, report } = await slugs('skips')
    expect(code).toBe(0)
    expect(report.areas[0]).toMatchObject({ passed: 0, failed: 0 })
    expect(report.areas[0]?.skipped).toHaveLength(all)
    const { text } = await vectors({ runner: runner('skips'), area: ['slug'] })
    expect(text).toContain('skipped in slug: all\n')
  })

  it('that reports an error fails the case with its words', async () => {
    const { code, problems } = await slugs('fails')
    expect(code).toBe(1)
    expect(new Set(problems)).toEqual(new Set(['division by zero']))
  })

  it('that dies fails the case with its last words, and is started again', async () => {
    const { code, problems } = await slugs('dies-once', [join(await temporaryFolder(), 'life')])
    expect(code).toBe(1)
    expect(problems[0]).toBeUndefined()
    expect(problems[1]).toBe('the runner ended (exit code 3); it wrote: out of luck')
    expect(problems[2]).toMatch(/^slug: expected/)
  })

  it('that cannot be started is given up on', async () => {
    const { code, text } = await vectors({
      runner: 'there-is-no-such-program',
      area: ['slug'],
      format: 'json',
    })
    const problems = (JSON.parse(text) as Report).cases.map(({ problem }) => problem)
    expect(code).toBe(1)
    expect(problems[0]).toMatch(/^the runner ended \(exit code \d+\); it wrote: .*there-is-no-such-program/)
    expect(problems[3]).toMatch(/^not asked, because the runner failed 3 times: the runner ended/)
    expect(problems).toHaveLength(all)
  })

  it('that gives no answer in time fails the case, and after three times the rest', async () => {
    const { code, problems } = await slugs('hangs', [join(await temporaryFolder(), 'pids')], { timeoutMs: 1 })
    expect(code).toBe(1)
    expect(problems.slice(0, 3)).toEqual(Array(3).fill('the runner gave no answer in 1 ms'))
    expect(problems[3]).toMatch(/^not asked/)
  })

  it('that hangs is ended with all that it started', async () => {
    const file = join(await temporaryFolder(), 'pids')
    const pids = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [])
    // The time is up once the runner and its child hang: a busy machine may take long to start them.
    const { ask, close } = startRunner({
      command: runner('hangs', file),
      timeoutMs: 10_000,
      after: (_, timeIsUp) => {
        const looking = setInterval(() => pids().length === 2 && timeIsUp(), 20)
        return () => clearInterval(looking)
      },
    })
    const [first] = cases
    expect(first && (await ask(first))).toEqual({ error: 'the runner gave no answer in 10000 ms' })
    await close()
    expect(pids().map(processStart)).toEqual([undefined, undefined])
  })

  it('that writes a line too many is found out', async () => {
    const { problems } = await slugs('babbles')
    expect(problems[1]).toMatch(/^the runner wrote a line that answers no case/)
  })

  it('that answers with nothing but brackets, or without an end, fails its cases', async () => {
    const brackets = await slugs('brackets')
    expect(brackets.code).toBe(1)
    expect(new Set(brackets.problems)).toEqual(
      new Set([expect.stringMatching(/^the (answer cannot be compared|runner did not answer)/)]),
    )
    const { problems } = await slugs('no-end')
    expect(problems[0]).toBe('the runner wrote a line of more than 16 MiB')
  })

  it('that answers in prose fails the case with its words', async () => {
    const { problems } = await slugs('prose')
    expect(problems[0]).toContain('Hello!')
  })
})

describe('a report', () => {
  it('in TAP has a line for each case, with what is wrong', async () => {
    const { text } = await vectors({ runner: runner('wrong'), area: ['slug'], format: 'tap' })
    expect(text).toMatch(/^TAP version 14\n1\.\.\d+\nok 1 - slug-001 slashes\nnot ok 2 - slug-002 /)
    expect(text).toContain(`\n1..${all}\n`)
    expect(text).toContain('  ---\n  message: "slug: expected ')
    const skipped = await vectors({ runner: runner('skips'), area: ['slug'], format: 'tap' })
    expect(skipped.text).toContain('ok 1 - slug-001 slashes # SKIP')
  })

  it('in JUnit has a suite for each area, and is XML whatever was answered', async () => {
    const { text } = await vectors({ runner: runner('wrong'), area: ['slug', 'fork'], format: 'junit' })
    expect(text).toMatch(/<testsuite name="fork" tests="14" failures="14" skipped="0" time="[\d.]+">/)
    expect(text).toContain(`<testsuite name="slug" tests="${all}" failures="${all - 1}" skipped="0" time="`)
    expect(text).toContain('<failure message="slug: expected &quot;C--Users-me&quot;, got ')
    expect(text).not.toMatch(/&(?!amp;|lt;|gt;|quot;)/)
  })

  it('holds nothing that a terminal obeys or XML has no place for', async () => {
    for (const format of ['text', 'tap', 'junit'] as const) {
      const { text } = await vectors({ runner: runner('controls'), area: ['slug'], format })
      expect(text).toContain('red')
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      if (format === 'junit') expect(text).not.toMatch(/[\ufffe\uffff]/)
    }
  })
})
