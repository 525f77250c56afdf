import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../src/events.ts'
import { nextStep } from '../../src/loop/next.ts'
import {
  after,
  ended,
  finished,
  iteration,
  notes,
  opened,
  ordinaryIteration,
  start,
} from '../helpers/events.ts'

const reasonAfter = (events: readonly NewEvent[], input: Record<string, unknown> = {}): string => {
  const step = nextStep(after(events, input), { time: start + 60_000, jitter: 0, task: 'Do it.' })
  return step.do === 'finish' ? step.reason : ''
}

describe('the reason of a stuck run says what was tried', () => {
  it('names the iterations, their changes and sessions, and the objection', () => {
    const loop = [1, 2, 3].flatMap((n) =>
      ordinaryIteration(n, n === 2 ? 'p1' : undefined, 'No option is documented.'),
    )
    expect(reasonAfter(loop)).toBe(
      'The judge made the same objection 3 times in a row (iterations 1 to 3, 2 of them with changes, in one session). Last: No option is documented.',
    )
  })

  it('ends with what was said last', () => {
    const loop = [1, 2].flatMap((n): NewEvent[] => [
      iteration(n),
      opened(`s${n}`),
      finished('crash', { iteration: n, evidence: `fault ${n}` }),
      ended(n, 'p0'),
      { type: 'session.forked', session: `s${n}`, reason: 'x' },
    ])
    expect(reasonAfter(loop, { 'stuck-after': 2 })).toMatch(/Last: fault 2$/)
  })

  it('counts the sessions that were tried', () => {
    const fresh = [1, 2].flatMap((n): NewEvent[] => [
      iteration(n),
      opened(`s${n}`),
      finished('crash', { iteration: n, evidence: 'Segmentation fault' }),
      ended(n, 'p0'),
      { type: 'session.forked', session: `s${n}`, reason: 'x' },
    ])
    expect(reasonAfter(fresh, { 'stuck-after': 2 })).toBe(
      'The agent ended in "crash" 2 times in a row (iterations 1 to 2, none of them with changes, in 2 sessions). Last: Segmentation fault',
    )
  })

  it('shows each failed check with the end of its output', () => {
    const checks = ['npm test', 'make']
    const failing = [4, 5].flatMap((n): NewEvent[] => [
      iteration(n),
      opened('s1'),
      finished('ok', { iteration: n, session: 's1' }),
      notes([]),
      { type: 'trim.skipped', reason: 'x' },
      {
        type: 'check.failed',
        iteration: n,
        command: 'npm test',
        exit: 1,
        output: 'run\n2 failed\n',
        durationMs: 1,
      },
      { type: 'check.failed', iteration: n, command: 'make', exit: null, output: '', durationMs: 1 },
      ended(n),
    ])
    expect(reasonAfter(failing, { checks, 'stuck-after': 2 })).toContain(
      '(iterations 4 to 5, 2 of them with changes, in one session). Last: `npm test` (exit 1): 2 failed; `make` (ended by a signal)',
    )
  })
})
