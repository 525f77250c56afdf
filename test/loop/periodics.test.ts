import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../src/events.ts'
import { nextStep } from '../../src/loop/next.ts'
import { duePeriodics } from '../../src/loop/periodics.ts'
import { sessionOf } from '../../src/loop/session.ts'
import {
  after,
  directives,
  ended,
  finished,
  iteration,
  notes,
  ordinaryIteration,
  start,
  verdict,
} from '../helpers/events.ts'

const next = (
  events: readonly NewEvent[],
  periodics: readonly object[],
  more: Record<string, unknown> = {},
) => nextStep(after(events, { periodics, ...more }), { time: start + 60_000, jitter: 0, task: 'Do it.' })

const docs = { name: 'docs', every: 1, prompt: 'Mend the README.' }
const own = { ...docs, session: 'own' }
const role = 'periodic:docs'

const begun = (n = 1): NewEvent => ({ type: 'periodic.started', iteration: n, name: 'docs' })
const over = (
  more: { problem?: string; progress?: string; name?: string; iteration?: number } = {},
): NewEvent => ({
  type: 'periodic.finished',
  iteration: 1,
  name: 'docs',
  problem: '',
  progress: 'p1',
  ...more,
})
const ran = (outcome: string, more: Parameters<typeof finished>[1] = {}) =>
  finished(outcome, { role, ...more })
const openedOwn: NewEvent = { type: 'session.opened', role, session: 'd1' }
const ownNotes = (keep: string[] | null, reset = false): NewEvent =>
  ({ ...notes(keep, reset), role }) as NewEvent
const one = [...ordinaryIteration(1), begun()]

describe('the periodics that are due', () => {
  it.each<[iteration: number, run: string[], due: string[]]>([
    [0, [], []],
    [1, [], ['a']],
    [2, [], ['a', 'b']],
    [2, ['a'], ['b']],
    [2, ['a', 'b'], []],
    [3, [], ['a', 'c']],
    [6, [], ['a', 'b', 'c']],
    [6, ['b'], ['a', 'c']],
  ])('after iteration %d, when %j have run: %j', (iteration, periodicsRun, due) => {
    const periodics = [
      { name: 'a', every: 1, prompt: 'x' },
      { name: 'b', every: 2, prompt: 'x' },
      { name: 'c', every: 3, prompt: 'x' },
    ]
    expect(
      duePeriodics({ directives: directives({ periodics }), iteration, periodicsRun }).map(
        ({ name }) => name,
      ),
    ).toEqual(due)
  })

  it('run one after the other, in the order in which they are listed, before the next iteration', () => {
    const two = [{ ...docs, name: 'z' }, docs]
    expect(next(ordinaryIteration(1), two)).toMatchObject({ event: { type: 'periodic.started', name: 'z' } })
    const first: NewEvent[] = [
      ...ordinaryIteration(1),
      { ...begun(), name: 'z' } as NewEvent,
      over({ name: 'z' }),
    ]
    expect(next(first, two)).toMatchObject({ event: { type: 'periodic.started', name: 'docs' } })
    expect(next([...first, begun(), over()], two)).toMatchObject({
      event: { type: 'iteration.started', iteration: 2 },
    })
  })

  it('run again when they are due again', () => {
    const events = [...one, over(), ...ordinaryIteration(2)]
    expect(next(events, [docs])).toMatchObject({ event: { type: 'periodic.started', iteration: 2 } })
    expect(next(events, [{ ...docs, every: 3 }])).toMatchObject({ event: { type: 'iteration.started' } })
  })

  it.each<[string, readonly NewEvent[], Record<string, unknown>, string]>([
    [
      'done',
      [iteration(1), finished('ok', { session: 's1' }), notes([]), verdict('done'), ended(1)],
      {},
      'done',
    ],
    ['a limit', ordinaryIteration(1), { 'max-iterations': 1 }, 'limit'],
    ['a signal', [...ordinaryIteration(1), { type: 'run.stopping', signal: 'SIGINT' }], {}, 'interrupted'],
  ])('do not run after an iteration that ends the run: %s', (_, events, more, result) => {
    expect(next(events, [docs], more)).toMatchObject({ do: 'finish', result })
  })

  it('run after a fork is due, and the fork comes after them', () => {
    const events = ordinaryIteration(1)
    const every = { 'context-fork-every': 1 }
    expect(next(events, [docs], every)).toMatchObject({ event: { type: 'periodic.started' } })
    expect(next([...events, begun(), over()], [docs], every)).toMatchObject({
      event: { type: 'session.forked' },
    })
  })

  it('count their cost for the limit of the run', () => {
    const events = [...one, ran('ok', { costUsd: 3 }), over()]
    expect(after(events, { periodics: [docs] }).costUsd).toBe(3)
    expect(next(events, [docs], { 'max-cost-usd': 3 })).toMatchObject({ do: 'finish', result: 'limit' })
  })
})

describe('a fresh periodic', () => {
  it('runs in a session that is not kept, with its prompt and without the task', () => {
    const step = next(one, [docs])
    expect(step).toMatchObject({ do: 'run-periodic', name: 'docs', session: { kind: 'ephemeral' } })
    expect(step).toMatchObject({ prompt: expect.stringContaining('Mend the README.') })
    expect(step).not.toMatchObject({ prompt: expect.stringContaining('Do it.') })
    expect(step).not.toMatchObject({ prompt: expect.stringContaining('notes.docs.md') })
  })

  it('has no notes and no trim, and is over after its turn', () => {
    expect(next([...one, ran('ok')], [docs])).toEqual({ do: 'finish-periodic', name: 'docs', problem: '' })
  })
})

describe('a periodic with a session of its own', () => {
  const firstTurn = [
    ...one,
    openedOwn,
    ran('ok', { session: 'd1', printedCostUsd: 2, context: { first: 1, peak: 7 } }),
  ]

  it('begins one, and is told of its notes', () => {
    expect(next(one, [own])).toMatchObject({
      do: 'run-periodic',
      session: { kind: 'new' },
      prompt: expect.stringContaining('.loop/notes.docs.md'),
    })
  })

  it('has notes and a trim of its own', () => {
    expect(next(firstTurn, [own])).toEqual({ do: 'read-notes', role })
    const read = [...firstTurn, ownNotes(['README.md'])]
    expect(next(read, [own])).toEqual({ do: 'trim', role, session: 'd1', keep: ['README.md'], harder: false })
    expect(next([...firstTurn, ownNotes(null)], [own])).toMatchObject({
      event: { type: 'trim.skipped', role, session: 'd1' },
    })
    expect(
      next([...read, { type: 'trim.refused', role, session: 'd1', code: 'x', reason: 'x' }], [own]),
    ).toEqual({
      do: 'finish-periodic',
      name: 'docs',
      problem: '',
    })
  })

  it("goes on in its own session the next time, and leaves the worker's alone", () => {
    const events: NewEvent[] = [
      ...firstTurn,
      ownNotes(['README.md']),
      { type: 'trim.skipped', role, session: 'd1', reason: 'x' },
      over(),
      ...ordinaryIteration(2),
      begun(2),
    ]
    const step = next(events, [own])
    expect(step).toMatchObject({ session: { kind: 'resume', id: 'd1' } })
    const state = after(events, { periodics: [own] })
    expect(sessionOf(state, role)).toMatchObject({
      id: 'd1',
      turns: 1,
      tokens: 7,
      costUsd: 2,
      keep: ['README.md'],
    })
    expect(sessionOf(state, 'worker')).toMatchObject({ id: 's1', turns: 2, keep: ['a.ts'] })
  })

  it('is left when its notes ask for it, or when it has lasted long enough', () => {
    const forked = { event: { type: 'session.forked', role, session: 'd1' } }
    expect(next([...firstTurn, ownNotes(['a'], true)], [own])).toMatchObject(forked)
    expect(next([...firstTurn, ownNotes(['a'])], [own], { 'context-fork-every': 1 })).toMatchObject(forked)
    const left: NewEvent[] = [
      ...firstTurn,
      ownNotes(['a'], true),
      { type: 'session.forked', role, session: 'd1', reason: 'x' },
    ]
    expect(next(left, [own])).toMatchObject({ do: 'finish-periodic' })
    expect(next([...left, over(), ...ordinaryIteration(2), begun(2)], [own])).toMatchObject({
      session: { kind: 'new' },
    })
    expect(sessionOf(after(left, { periodics: [own] }), 'worker').id).toBe('s1')
  })
})

describe('a periodic that fails', () => {
  const second: readonly NewEvent[] = [
    ...one,
    openedOwn,
    ran('ok', { session: 'd1' }),
    ownNotes(['a']),
    { type: 'trim.skipped', role, reason: 'x' },
    over(),
    ...ordinaryIteration(2),
    begun(2),
  ]

  it('does not stop the run', () => {
    const crashed = [...one, ran('crash', { evidence: 'boom' })]
    expect(next(crashed, [docs])).toEqual({ do: 'finish-periodic', name: 'docs', problem: 'boom' })
    expect(next([...crashed, over({ problem: 'boom' })], [docs])).toMatchObject({
      event: { type: 'iteration.started', iteration: 2 },
    })
  })

  it('stops it when it is required, and runs again after a resume', () => {
    const required = { ...docs, required: true }
    const crashed = [...one, ran('crash', { evidence: 'boom' })]
    expect(next(crashed, [required])).toMatchObject({
      do: 'finish',
      result: 'agent-failing',
      reason: expect.stringContaining('boom'),
    })
    const end = { ...finishedRun, result: 'agent-failing' } as NewEvent
    expect(
      next([...crashed, end, { type: 'run.resumed', yoke: '', directives: {} }], [required]),
    ).toMatchObject({
      do: 'run-periodic',
    })
  })

  it('runs once again in a fresh session when its own is stale', () => {
    const stale = [...second, ran('stale-session', { evidence: 'gone' })]
    expect(next(stale, [own])).toMatchObject({ event: { type: 'session.stale', role, session: 'd1' } })
    const left: NewEvent[] = [...stale, { type: 'session.stale', role, session: 'd1', reason: 'gone' }]
    expect(next(left, [own])).toMatchObject({ do: 'run-periodic', session: { kind: 'new' } })
    expect(sessionOf(after(left, { periodics: [own] }), 'worker').id).toBe('s1')
    expect(next([...left, ran('stale-session', { evidence: 'gone' })], [own])).toMatchObject({
      do: 'finish-periodic',
      problem: expect.stringContaining('gone'),
    })
  })

  it('waits for a limit, and then has its turn', () => {
    const limited = [...second, ran('rate-limit', { resetsAt: start + 3_600_000 })]
    expect(next(limited, [own])).toMatchObject({ event: { type: 'wait.started', until: start + 3_605_000 } })
    const waited: NewEvent[] = [
      ...limited,
      { type: 'wait.started', class: 'rate-limit', reason: '', until: start },
      { type: 'wait.finished', waitedMs: 1 },
    ]
    expect(next(waited, [own])).toMatchObject({ do: 'run-periodic', session: { kind: 'resume', id: 'd1' } })
    expect(next(limited, [own], { 'on-limit': 'stop' })).toMatchObject({ do: 'finish', result: 'limit' })
  })

  it('is trimmed harder, then leaves its session, when its context is full', () => {
    const full = [...second, ran('context-full')]
    expect(next(full, [own])).toMatchObject({ do: 'trim', role, session: 'd1', harder: true })
    const again: NewEvent[] = [
      ...full,
      { type: 'trim.refused', role, session: 'd1', code: 'x', reason: 'x' },
      ran('context-full'),
    ]
    expect(next(again, [own])).toMatchObject({ event: { type: 'session.forked', role } })
    expect(
      next([...again, { type: 'session.forked', role, session: 'd1', reason: 'x' }], [own]),
    ).toMatchObject({
      do: 'run-periodic',
      session: { kind: 'new' },
    })
  })

  it.each(['auth', 'billing', 'bad-config'])('ends the run for %s, which meets every agent', (outcome) => {
    expect(next([...one, ran(outcome)], [docs])).toMatchObject({ do: 'finish', result: 'blocked' })
  })

  it('has not its turn again when the run was stopped at once behind it', () => {
    const stopped: NewEvent[] = [
      ...one,
      ran('ok'),
      { ...finishedRun, result: 'interrupted' } as NewEvent,
      { type: 'run.resumed', yoke: '', directives: {} },
    ]
    expect(next(stopped, [docs])).toEqual({ do: 'finish-periodic', name: 'docs', problem: '' })
  })

  it('is passed over when the resumed run has it no more', () => {
    expect(next(one, [])).toMatchObject({
      do: 'finish-periodic',
      problem: expect.stringContaining('any more'),
    })
  })
})

const finishedRun: NewEvent = {
  type: 'run.finished',
  result: 'blocked',
  reason: '',
  fix: '',
  exitCode: 4,
  iterations: 1,
  costUsd: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  durationMs: 1,
}

describe('what a periodic changes', () => {
  it('is no progress of the worker', () => {
    const round = (n: number): NewEvent[] => [
      ...ordinaryIteration(n, n === 1 ? 'p0' : `q${n - 1}`, undefined),
      begun(n),
      ran('ok'),
      over({ progress: `q${n}`, iteration: n }),
    ]
    expect(next([...round(1), ...round(2)], [docs])).toMatchObject({ event: { type: 'iteration.started' } })
    expect(next([...round(1), ...round(2), ...ordinaryIteration(3, 'q2', undefined)], [docs])).toMatchObject({
      do: 'finish',
      result: 'agent-failing',
      reason: expect.stringContaining('3 iterations'),
    })
  })

  it('is said to the worker, once', () => {
    const changed: NewEvent[] = [...one, ran('ok'), over({ progress: 'q' }), iteration(2)]
    expect(next(changed, [docs])).toMatchObject({ prompt: expect.stringContaining('(docs)') })
    const unchanged: NewEvent[] = [...one, ran('ok'), over(), iteration(2)]
    expect(next(unchanged, [docs])).not.toMatchObject({ prompt: expect.stringContaining('(docs)') })
    const later = [
      ...changed.slice(0, -1),
      ...ordinaryIteration(2),
      begun(2),
      over({ progress: 'p2' }),
      iteration(3),
    ]
    expect(next(later, [docs])).not.toMatchObject({ prompt: expect.stringContaining('(docs)') })
  })
})

describe('a resumed run', () => {
  it('tries again what it ended for', () => {
    const blocked: NewEvent[] = [
      iteration(1),
      finished('auth', { evidence: 'no key' }),
      finishedRun,
      { type: 'run.resumed', yoke: '', directives: {} },
    ]
    expect(next(blocked, [])).toMatchObject({ do: 'run-worker' })
  })
})
