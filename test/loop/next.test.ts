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
  started,
  verdict,
} from '../helpers/events.ts'

const next = (events: readonly NewEvent[], input: Record<string, unknown> = {}, time = start + 60_000) =>
  nextStep(after(events, input), { time, jitter: 0, task: 'Do it.' })

const worked = [iteration(1), started(), opened('s1'), finished('ok', { session: 's1' })]

describe('an iteration', () => {
  it('begins with the worker, which is told protocol and whole task', () => {
    expect(next([])).toMatchObject({ do: 'record', event: { type: 'iteration.started', iteration: 1 } })
    const step = next([iteration(1)])
    expect(step).toMatchObject({ do: 'run-worker', prompt: expect.stringContaining('Do it.') })
    expect(step).toMatchObject({ prompt: expect.stringContaining('KEEP:') })
    expect(step).not.toHaveProperty('session')
  })

  it('goes on to notes, trim, checks and judge in this order', () => {
    expect(next(worked)).toEqual({ do: 'read-notes' })
    const read = [...worked, notes(['a.ts'])]
    expect(next(read)).toEqual({ do: 'trim', session: 's1', keep: ['a.ts'], harder: false })
    const trimmed: NewEvent[] = [...read, { type: 'trim.skipped', reason: 'x' }]
    expect(next(trimmed, { checks: ['make'] })).toEqual({ do: 'check', command: 'make' })
    expect(
      next([...trimmed, { type: 'check.passed', iteration: 1, command: 'make', durationMs: 1 }], {
        checks: ['make'],
      }),
    ).toEqual({
      do: 'run-judge',
    })
    expect(next([...trimmed, verdict('continue')])).toEqual({ do: 'measure-progress' })
  })

  it('resumes the session and says what the judge said, not the task again', () => {
    const step = next([...ordinaryIteration(1), iteration(2)])
    expect(step).toMatchObject({
      do: 'run-worker',
      session: 's1',
      prompt: expect.stringContaining('objection 1'),
    })
    expect(step).not.toMatchObject({ prompt: expect.stringContaining('Do it.') })
  })

  it('runs every check, and asks no judge when one failed', () => {
    const checks = ['one', 'two']
    const trimmed: NewEvent[] = [...worked, notes(['a']), { type: 'trim.skipped', reason: 'x' }]
    const failed: NewEvent = {
      type: 'check.failed',
      iteration: 1,
      command: 'one',
      exit: 2,
      output: 'boom',
      durationMs: 1,
    }
    expect(next([...trimmed, failed], { checks })).toEqual({ do: 'check', command: 'two' })
    const both: NewEvent[] = [
      ...trimmed,
      failed,
      { type: 'check.passed', iteration: 1, command: 'two', durationMs: 1 },
    ]
    expect(next(both, { checks })).toEqual({ do: 'measure-progress' })
    expect(next([...both, ended(1), iteration(2)], { checks })).toMatchObject({
      prompt: expect.stringContaining('boom'),
    })
  })

  it('reminds the worker when the notes have no KEEP line', () => {
    const events: NewEvent[] = [
      ...worked,
      notes(null),
      { type: 'trim.skipped', reason: 'x' },
      verdict('continue'),
      ended(1),
      iteration(2),
    ]
    expect(next([...worked, notes(null)])).toMatchObject({ event: { type: 'trim.skipped' } })
    expect(next(events)).toMatchObject({ prompt: expect.stringContaining('no `KEEP:` line') })
  })
})

describe('the end of a run', () => {
  it('is done when the judge says so, also in the last allowed iteration', () => {
    const events = [...worked, notes([]), verdict('done', ['All there.']), ended(1)]
    expect(next(events, { 'max-iterations': 1 })).toMatchObject({
      do: 'finish',
      result: 'done',
      reason: 'All there.',
    })
  })

  it('is never the word of the worker', () => {
    expect(next(worked)).not.toMatchObject({ do: 'finish' })
  })

  it('is blocked when the judge says that a person is needed', () => {
    expect(next([...worked, notes([]), verdict('blocked', ['No key.']), ended(1)])).toMatchObject({
      result: 'blocked',
    })
  })

  it('is a limit after the last iteration, or when the money is spent', () => {
    expect(next(ordinaryIteration(1), { 'max-iterations': 1 })).toMatchObject({
      do: 'finish',
      result: 'limit',
    })
    const dear = [
      iteration(1),
      finished('ok', { session: 's1', costUsd: 2 }),
      notes([]),
      verdict('continue'),
      ended(1),
    ]
    expect(next(dear, { 'max-cost-usd': 2 })).toMatchObject({ result: 'limit' })
    expect(next(dear, { 'max-cost-usd': 2.01 })).toMatchObject({ do: 'record' })
  })

  it('is a limit when the run has worked long enough, waits not counted', () => {
    const waited: NewEvent[] = [...ordinaryIteration(1), { type: 'wait.finished', waitedMs: 50_000 }]
    expect(next(ordinaryIteration(1), { 'max-duration': '60s' })).toMatchObject({ result: 'limit' })
    expect(next(waited, { 'max-duration': '60s' })).toMatchObject({ do: 'record' })
    expect(next(waited, { 'max-duration': '60s', 'count-waits': 'on' })).toMatchObject({ result: 'limit' })
  })

  it('comes after the iteration when a signal asked for it', () => {
    expect(next([...ordinaryIteration(1), { type: 'run.stopping', signal: 'SIGINT' }])).toMatchObject({
      result: 'interrupted',
    })
    expect(next([...ordinaryIteration(1), { type: 'run.stopping', signal: 'SIGTERM' }])).toMatchObject({
      result: 'terminated',
    })
  })
})

describe('the circuit breaker', () => {
  const loop = (n: number, progress: string | undefined, objection: string | undefined) =>
    Array.from({ length: n }, (_, i) => ordinaryIteration(i + 1, progress, objection)).flat()

  it('stops when nothing changes', () => {
    expect(next(loop(3, 'p0', undefined))).toMatchObject({ do: 'finish', result: 'agent-failing' })
    expect(next(loop(2, 'p0', undefined))).toMatchObject({ do: 'record' })
    expect(next(loop(3, undefined, undefined))).toMatchObject({ do: 'record' })
  })

  it('stops when the judge repeats itself', () => {
    expect(next(loop(3, undefined, 'Same.'))).toMatchObject({ do: 'finish', result: 'blocked' })
  })

  it('stops when the agent keeps failing in the same way', () => {
    const events = [1, 2, 3].flatMap((n) => [
      iteration(n),
      finished('crash', { iteration: n, evidence: 'boom' }),
      ended(n),
    ])
    expect(next(events)).toMatchObject({
      do: 'finish',
      result: 'agent-failing',
      reason: expect.stringContaining('crash'),
    })
  })

  it('is closed again by a resume', () => {
    expect(
      next([...loop(3, 'p0', undefined), { type: 'run.resumed', yoke: '', directives: {} }]),
    ).toMatchObject({
      do: 'record',
    })
  })
})

describe('a fork', () => {
  it('leaves the session every so many iterations', () => {
    expect(next(ordinaryIteration(1), { 'context-fork-every': 1 })).toMatchObject({
      event: { type: 'session.forked', session: 's1' },
    })
  })

  it('is asked for by RESET: TRUE, and the trim is spared', () => {
    expect(next([...worked, notes(['a'], true)])).toMatchObject({ event: { type: 'trim.skipped' } })
  })

  it('is not caused by a size that the trim may bring down', () => {
    const large = [
      iteration(1),
      opened('s1'),
      finished('ok', { session: 's1', context: { first: 1, peak: 501 } }),
      notes(['a']),
    ]
    const trimmed: NewEvent = {
      type: 'trim.applied',
      session: 's1',
      kept: [],
      refreshed: [],
      dropped: [],
      unmatched: [],
      tokensBefore: 501,
      tokensAfter: 500,
      bytesBefore: 1,
      bytesAfter: 1,
      durationMs: 1,
    }
    const over = { 'context-fork-over': 500 }
    expect(next(large, over)).toMatchObject({ do: 'trim' })
    const end = [verdict('continue'), ended(1)]
    expect(next([...large, trimmed, ...end], over)).toMatchObject({ event: { type: 'iteration.started' } })
    expect(next([...large, { ...trimmed, tokensAfter: 501 }, ...end], over)).toMatchObject({
      event: { type: 'session.forked' },
    })
    expect(next([...large, { type: 'trim.skipped', reason: 'x' }, ...end], over)).toMatchObject({
      event: { type: 'session.forked' },
    })
  })

  it('tells the fresh session protocol, task, notes and what the judge said', () => {
    const events: NewEvent[] = [
      ...ordinaryIteration(1),
      { type: 'session.forked', session: 's1', reason: 'x' },
      iteration(2),
    ]
    const step = next(events)
    expect(step).not.toHaveProperty('session')
    for (const part of ['KEEP:', 'Do it.', 'read them first', 'objection 1'])
      expect(step).toMatchObject({ prompt: expect.stringContaining(part) })
  })
})

describe('recovery', () => {
  const second = [...ordinaryIteration(1), iteration(2), started({ iteration: 2, session: 's1' })]

  it('starts the iteration again with the whole task when the session is stale, once', () => {
    const stale = [...second, finished('stale-session', { iteration: 2, evidence: 'No conversation found' })]
    expect(next(stale)).toMatchObject({ event: { type: 'session.stale', session: 's1' } })
    const left: NewEvent[] = [...stale, { type: 'session.stale', session: 's1', reason: 'x' }]
    expect(next(left)).toMatchObject({ do: 'run-worker', prompt: expect.stringContaining('Do it.') })
    expect(after(left).iteration).toBe(2)
    expect(next([...left, finished('stale-session')])).toMatchObject({
      do: 'finish',
      result: 'agent-failing',
    })
  })

  it('says what the agent said of its failure, else its class', () => {
    const stale = (evidence: string) =>
      next([...second, finished('stale-session', { iteration: 2, evidence })])
    expect(stale('No conversation found')).toMatchObject({ event: { reason: 'No conversation found' } })
    expect(stale('')).toMatchObject({ event: { reason: 'stale-session' } })
  })

  it('waits until the named reset time, and tries the same iteration again', () => {
    const limited = [...second, finished('rate-limit', { resetsAt: start + 3_600_000 })]
    expect(next(limited)).toMatchObject({ event: { type: 'wait.started', until: start + 3_605_000 } })
    const waiting: NewEvent[] = [
      ...limited,
      { type: 'wait.started', class: 'rate-limit', reason: '', until: start + 9 },
    ]
    expect(next(waiting)).toEqual({ do: 'wait', until: start + 9 })
    const stopping: NewEvent[] = [...waiting, { type: 'run.stopping', signal: 'SIGINT' }]
    expect(next(stopping)).toMatchObject({ do: 'finish', result: 'interrupted' })
    expect(next([...stopping, { type: 'run.resumed', yoke: '', directives: {} }])).toEqual({
      do: 'wait',
      until: start + 9,
    })
    expect(next([...waiting, { type: 'wait.finished', waitedMs: 1 }])).toMatchObject({
      do: 'run-worker',
      session: 's1',
    })
    expect(next(limited, { 'on-limit': 'stop' })).toMatchObject({ do: 'finish', result: 'limit' })
  })

  it('backs off longer each time when no time is named, and gives up in the end', () => {
    const round: NewEvent[] = [
      finished('overloaded'),
      { type: 'wait.started', class: 'overloaded', reason: '', until: 0 },
      { type: 'wait.finished', waitedMs: 1 },
    ]
    const waits = [0, 1, 2].map((n) =>
      next([...second, ...Array.from({ length: n }, () => round).flat(), finished('overloaded')]),
    )
    const lengths = waits.map((step) =>
      step.do === 'record' && step.event.type === 'wait.started' ? step.event.until - start - 60_000 : 0,
    )
    expect(lengths).toEqual([15_000, 30_000, 60_000])
    expect(
      next([...second, ...Array.from({ length: 10 }, () => round).flat(), finished('overloaded')]),
    ).toMatchObject({
      result: 'agent-failing',
    })
  })

  it('trims harder when the context is full, then forks', () => {
    const full = [...second, finished('context-full')]
    expect(next(full)).toMatchObject({ do: 'trim', harder: true })
    const trimmed: NewEvent[] = [...full, { type: 'trim.refused', session: 's1', code: 'x', reason: 'x' }]
    expect(next(trimmed)).toMatchObject({ do: 'run-worker', session: 's1' })
    const again = [...trimmed, finished('context-full')]
    expect(next(again)).toMatchObject({
      event: { type: 'session.forked', reason: expect.stringContaining('full') },
    })
  })

  it.each([
    ['auth', 'blocked'],
    ['billing', 'blocked'],
    ['bad-config', 'blocked'],
    ['budget', 'limit'],
  ])('stops at once for %s', (outcome, result) => {
    expect(next([...second, finished(outcome)])).toMatchObject({
      do: 'finish',
      result,
      fix: expect.stringContaining('yoke resume'),
    })
  })

  it('takes a judge without a readable verdict twice for continue, never for done', () => {
    const judged = [...worked, notes([]), finished('ok', { role: 'judge' })]
    const once: NewEvent[] = [...judged, { type: 'judge.unreadable', iteration: 1, attempt: 1, text: '' }]
    expect(next(once)).toEqual({ do: 'run-judge' })
    const twice: NewEvent[] = [
      ...once,
      { type: 'judge.unreadable', iteration: 1, attempt: 2, text: '' },
      ended(1),
    ]
    expect(next(twice)).toMatchObject({ event: { type: 'iteration.started', iteration: 2 } })
  })

  it('tells the worker that it was cut off when a run goes on in the middle of its turn', () => {
    expect(next([...second, { type: 'run.resumed', yoke: '', directives: {} }])).toMatchObject({
      session: 's1',
      prompt: expect.stringContaining('cut off'),
    })
  })
})
