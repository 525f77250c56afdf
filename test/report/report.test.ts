import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../src/events.ts'
import { reportOf } from '../../src/report/report.ts'
import { agentFinished, begin, longRun, stamped } from './made-run.ts'

const of = (events: Parameters<typeof stamped>[0], isRunning = false) => {
  const all = stamped([[0, begin], ...events])
  const [first] = all
  if (first?.type !== 'run.started') throw new Error('no beginning')
  return reportOf(first, all, isRunning)
}

const started = (iteration: number) => [0, { type: 'iteration.started', iteration }] as const
const ended = (iteration: number) => [100, { type: 'iteration.finished', iteration, progress: '' }] as const

describe('the report of a run', () => {
  it('adds up to what every agent cost, whatever role it had', () => {
    const { begin: first, events } = longRun(40)
    const report = reportOf(first, events, false)
    const paid = events.reduce((sum, event) => sum + (event.type === 'agent.finished' ? event.costUsd : 0), 0)
    const sum = (rows: readonly { readonly costUsd: number }[]) =>
      rows.reduce((all, { costUsd }) => all + costUsd, 0)
    expect(report.costUsd).toBeCloseTo(paid)
    expect(sum(report.roles)).toBeCloseTo(paid)
    // There is no scoper in this run, so that the iterations hold everything, periodics behind them too.
    expect(sum(report.iterations)).toBeCloseTo(paid)
    expect(report.iterations).toHaveLength(40)
    expect(report.roles.map(({ role }) => role)).toEqual(['worker', 'judge', 'periodic:docs'])
  })

  it.each<[string, readonly NewEvent[], string]>([
    [
      'a verdict',
      [{ type: 'judge.verdict', iteration: 1, verdict: 'blocked', reasons: [], next: '' }],
      'blocked',
    ],
    [
      'a failed check',
      [{ type: 'check.failed', iteration: 1, command: 'x', exit: 1, output: '', durationMs: 1 }],
      'check failed',
    ],
    ['a crash of the worker', [agentFinished('worker', 1, { class: 'crash' })], 'crash'],
    [
      'a judge that cannot be read',
      [
        { type: 'judge.unreadable', iteration: 1, attempt: 1, text: '' },
        { type: 'judge.unreadable', iteration: 1, attempt: 2, text: '' },
      ],
      'no verdict',
    ],
    ['no judge at all', [agentFinished('worker', 1)], 'not judged'],
  ])('names the result of an iteration with %s', (_what, events, result) => {
    const report = of([started(1), ...events.map((event) => [10, event] as const), ended(1)])
    expect(report.iterations).toMatchObject([{ result }])
  })

  it('says of the last iteration that it is under way, and of the run whether anyone carries it on', () => {
    const events = [started(1), [10, agentFinished('worker', 1)] as const]
    expect(of(events, true)).toMatchObject({ result: 'running', iterations: [{ result: 'under way' }] })
    expect(of(events, false)).toMatchObject({
      result: 'stopped',
      fix: expect.stringContaining('yoke resume'),
    })
  })

  it('shows for each iteration which share the worker had from the cache, so that a lost prefix is seen (anthropics/claude-code#34629, #42338, #67497)', () => {
    const tokens = (cacheRead: number, cacheWrite: number) => ({
      tokens: { input: 0, output: 7, cacheRead, cacheWrite },
    })
    const report = of([
      started(1),
      [10, agentFinished('worker', 1, tokens(900, 100))],
      [20, agentFinished('judge', 1, tokens(0, 5000))],
      ended(1),
      started(2),
      [10, agentFinished('worker', 2, tokens(0, 1000))],
      ended(2),
      started(3),
      [10, agentFinished('worker', 3, tokens(0, 0))],
      ended(3),
    ])
    expect(report.iterations.map(({ cacheShare }) => cacheShare)).toEqual([0.9, 0, null])
  })

  it('shows the largest request of several starts, and the trim of the worker alone', () => {
    const trim: NewEvent & { type: 'trim.applied' } = {
      type: 'trim.applied',
      session: 's',
      kept: ['a'],
      tokensBefore: 100,
      tokensAfter: 40,
      bytesBefore: 1,
      bytesAfter: 1,
      refreshed: [],
      dropped: [],
      unmatched: [],
      durationMs: 1,
    }
    const report = of([
      started(1),
      [10, agentFinished('worker', 1, { class: 'overloaded', context: { first: 10, peak: 90 } })],
      [10, agentFinished('worker', 1, { context: { first: 20, peak: 50 } })],
      [1, trim],
      ended(1),
      [1, { ...trim, role: 'periodic:docs', tokensBefore: 7 }],
    ])
    expect(report.iterations).toMatchObject([
      { context: { first: 10, peak: 90 }, trim: { status: 'applied', before: 100, after: 40, kept: ['a'] } },
    ])
  })

  it('gives a fork to the iteration that begins in the fresh session', () => {
    const report = of([
      started(1),
      ended(1),
      [1, { type: 'session.forked', session: 's', reason: 'asked for' }],
      started(2),
      ended(2),
    ])
    expect(report.iterations.map(({ fork }) => fork)).toEqual([null, 'asked for'])
  })

  it('draws a wait that was cut off up to the next event', () => {
    const report = of([
      [0, { type: 'wait.started', class: 'rate-limit', reason: 'limit', until: 0 }],
      [60_000, { type: 'run.resumed', yoke: '', directives: {} }],
    ])
    expect(report.timeline).toMatchObject([{ lane: 'wait', label: 'limit' }])
    const [wait] = report.timeline
    expect((wait?.to ?? 0) - (wait?.from ?? 0)).toBe(60_000)
  })

  it('draws a pause in a wait as a pause, and what was said in it as nothing', () => {
    const { timeline, iterations } = of([
      started(1),
      [0, { type: 'wait.started', class: 'rate-limit', reason: 'limit', until: 0 }],
      [10, { type: 'person.said', text: 'Be brief.' }],
      [10, { type: 'run.paused' }],
      [100, { type: 'run.continued' }],
      [30, { type: 'wait.finished', waitedMs: 30 }],
      ended(1),
    ])
    expect(timeline.map(({ lane, from, to }) => [lane, to - from])).toEqual([
      ['wait', 20],
      ['pause', 100],
      ['wait', 30],
    ])
    expect(iterations).toMatchObject([{ steering: ['said: Be brief.'] }])
  })

  it('gives what people said and changed to the iteration that hears it', () => {
    const change = { type: 'task.changed', prompt: '', since: '', difference: '+more\n' } as const
    const { iterations } = of([
      started(1),
      ended(1),
      [1, { type: 'person.said', text: 'Be <b>brief</b>.' }],
      [1, change],
      started(2),
      ended(2),
    ])
    expect(iterations.map(({ steering }) => steering)).toEqual([
      [],
      ['said: Be <b>brief</b>.', 'the task was changed:\n+more\n'],
    ])
  })

  it('bears a run that ended before its first iteration', () => {
    expect(of([])).toMatchObject({ iterations: [], roles: [], timeline: [], costUsd: 0 })
  })
})
