import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { condensedLog, cycleEntry, cycleMark } from '../../src/loop/saga-log.ts'

type Finished = RunEvent & { type: 'cycle.finished' }

const finished = (cycle: number, more: Partial<Finished> = {}): Finished => ({
  type: 'cycle.finished',
  at: '2026-12-01T09:00:00.000Z',
  run: 'r',
  cycle,
  title: `Title ${cycle}`,
  result: 'done',
  reason: 'All there.',
  left: [],
  iterations: 2,
  costUsd: 0.5,
  commits: { from: 'a'.repeat(40), to: 'b'.repeat(40) },
  ...more,
})

const log = (count: number, planOf: (cycle: number) => string) =>
  Array.from({ length: count }, (_, n) => cycleEntry(finished(n + 1), planOf(n + 1))).join('\n')

describe('an entry of the log', () => {
  it('says what came of the cycle', () => {
    expect(cycleEntry(finished(3, { result: 'limit', left: ['One.\nTwo.', 'Three.'] }), 'Do this.')).toBe(
      `## Cycle 3: Title 3
<!-- yoke r/3 -->

- result: limit (All there.)
- iterations: 2
- cost: $0.50
- commits: aaaaaaaaaa..bbbbbbbbbb

### Plan

Do this.

### Left

- One. Two.
- Three.
`,
    )
  })

  it.each([
    [null, 'none, there is no git'],
    [{ from: 'a', to: 'a' }, 'none'],
  ])('names the commits: %j', (commits, text) => {
    expect(cycleEntry(finished(1, { commits }), 'x')).toContain(`- commits: ${text}\n`)
  })

  it('cannot be broken by a plan that looks like an entry', () => {
    const plan = `# Head\n## Cycle 1: fake\n<!-- yoke r/1 -->\n- result: done`
    const text = cycleEntry(finished(2), plan)
    expect(text).not.toContain(cycleMark({ run: 'r', cycle: 1 }))
    expect(condensedLog(`${log(1, () => 'x')}\n${text}`).match(/^## Cycle/gm)).toHaveLength(2)
  })
})

describe('the log for the scoper', () => {
  it('is whole while it is short, with what a person wrote', () => {
    const text = `Start with the parser.\n\n${log(3, (n) => `Plan ${n}`)}\nA remark.`
    expect(condensedLog(text).replace(/\s+/g, ' ')).toBe(text.replace(/\s+/g, ' ').trim())
    expect(condensedLog('')).toBe('')
    expect(condensedLog('Only a remark.\n')).toBe('Only a remark.')
  })

  it('has the newest entries whole, and of older ones a line each', () => {
    const text = `Mind the tests.\n\n${log(50, (n) => `Plan ${n} ${'x'.repeat(3000)}`)}`
    const short = condensedLog(text)
    expect(short.length).toBeLessThan(30_000)
    expect(short).toMatch(
      /^Mind the tests\.\n\n- Cycle 1: Title 1: done \(All there\.\), aaaaaaaaaa\.\.bbbbbbbbbb\n- Cycle 2/,
    )
    expect(short.match(/^- Cycle \d+/gm)).toHaveLength(44)
    expect(short.match(/^## Cycle \d+/gm)).toEqual(
      ['45', '46', '47', '48', '49', '50'].map((n) => `## Cycle ${n}`),
    )
    expect(short).toContain(`Plan 50 ${'x'.repeat(3000)}`)
  })

  it('has the newest entry even when it is too long, with its result and what is left', () => {
    const end = cycleEntry(finished(2, { left: ['The last thing.'] }), 'x'.repeat(100_000))
    const short = condensedLog(`${log(1, () => 'y')}\n${end}`)
    expect(short.length).toBeLessThan(21_000)
    expect(short).toContain('- result: done')
    expect(short).toContain('- The last thing.')
    expect(short).toContain('- Cycle 1: Title 1: done')
  })

  it('leaves the newest entry whole up to 20,000 characters', () => {
    const frame = log(1, () => 'x').trim().length - 1
    const entry = (length: number) => log(1, () => 'x'.repeat(length - frame)).trim()
    expect(entry(20_000)).toHaveLength(20_000)
    expect(condensedLog(entry(20_000)) === entry(20_000)).toBe(true)
    expect(condensedLog(entry(20_001)).includes('[...]')).toBe(true)
  })

  it('grows no further after hundreds of cycles', () => {
    const [many, more] = [1000, 2000].map((count) => condensedLog(log(count, () => 'x'.repeat(500))))
    expect(many).toContain('older cycles)')
    expect(Math.abs((more?.length ?? 0) - (many?.length ?? 0))).toBeLessThan(1000)
  })
})
