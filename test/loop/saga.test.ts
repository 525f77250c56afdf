import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../src/events.ts'
import { sessionOf } from '../../src/loop/session.ts'
import { ended, finished, iteration, notes, opened, start, started, verdict } from '../helpers/events.ts'
import {
  cycleFinished,
  cycleLogged,
  cycleStarted,
  nextOfSaga as next,
  planned,
  resumed,
  runFinished,
  sagaAfter,
} from '../helpers/run.ts'

const trimmed = (tokensAfter = 10): NewEvent => ({
  type: 'trim.applied',
  session: 's1',
  kept: [],
  refreshed: [],
  dropped: [],
  unmatched: [],
  tokensBefore: 1,
  tokensAfter,
  bytesBefore: 1,
  bytesAfter: 1,
  durationMs: 1,
})

type Word = 'done' | 'continue' | 'blocked'

const turn = (
  n: number,
  word: Word,
  more: { trim?: NewEvent; notes?: NewEvent; costUsd?: number } = {},
): NewEvent[] => [
  iteration(n),
  started({ iteration: n }),
  opened('s1'),
  finished('ok', { iteration: n, session: 's1', costUsd: more.costUsd ?? 0 }),
  more.notes ?? notes(['a.ts']),
  more.trim ?? trimmed(),
  verdict(word, [`${word} ${n}`]),
  ended(n),
]

const scoped = (more: Parameters<typeof finished>[1] = {}) => finished('ok', { role: 'scoper', ...more })
const first: readonly NewEvent[] = [scoped(), planned(1, 'First plan.'), cycleStarted(1)]
const oneCycle: readonly NewEvent[] = [...first, ...turn(1, 'done'), cycleFinished(1), cycleLogged(1)]

describe('a saga', () => {
  it('begins with the scoper', () => {
    expect(next([])).toEqual({ do: 'run-scoper', cycle: 1 })
    expect(next([scoped()])).toEqual({ do: 'run-scoper', cycle: 1 })
  })

  it('carries out the plan as a loop of its own, in which the plan is the task', () => {
    expect(next([scoped(), planned(1, 'First plan.')])).toEqual({
      do: 'start-cycle',
      cycle: 1,
      title: 'Title 1',
      handoff: undefined,
    })
    expect(next(first)).toMatchObject({ event: { type: 'iteration.started', iteration: 1 } })
    const step = next([...first, iteration(1)])
    expect(step).toMatchObject({ do: 'run-worker', prompt: expect.stringContaining('First plan.') })
    expect(step).not.toMatchObject({ prompt: expect.stringContaining('The goal.') })
  })

  it('takes the end of the loop for the end of the cycle, and writes it down', () => {
    expect(next([...first, ...turn(1, 'continue'), ...turn(2, 'done', { costUsd: 2 })])).toEqual({
      do: 'finish-cycle',
      commit: 'c0',
      cycle: {
        cycle: 1,
        title: 'Title 1',
        result: 'done',
        reason: 'done 2',
        left: [],
        iterations: 2,
        costUsd: 2,
      },
    })
    const step = next([...first, ...turn(1, 'done'), cycleFinished(1)])
    expect(step).toMatchObject({ do: 'log-cycle', cycle: 1, mark: '<!-- yoke r/1 -->' })
    expect(step).toMatchObject({ entry: expect.stringContaining('First plan.') })
    expect(next(oneCycle)).toEqual({ do: 'run-scoper', cycle: 2 })
  })

  it('counts iterations on over the run, and their limit in each cycle', () => {
    const limits = { 'max-iterations': 2 }
    const second: NewEvent[] = [...oneCycle, scoped(), planned(2, 'Second plan.'), cycleStarted(2)]
    expect(next(second, limits)).toMatchObject({ event: { type: 'iteration.started', iteration: 2 } })
    expect(next([...second, ...turn(2, 'continue')], limits)).toMatchObject({ event: { iteration: 3 } })
    expect(next([...second, ...turn(2, 'continue'), ...turn(3, 'continue')], limits)).toMatchObject({
      do: 'finish-cycle',
      cycle: { result: 'limit', iterations: 2, left: ['continue 3'] },
    })
  })

  it.each<[string, NewEvent[], Record<string, unknown>, object]>([
    ['blocked by the judge', turn(1, 'blocked'), {}, { result: 'blocked', left: ['blocked 1'] }],
    [
      'stuck',
      [1, 2, 3].flatMap((n) => [...turn(n, 'continue').slice(0, -1), ended(n, 'p0')]),
      {},
      { result: 'agent-failing' },
    ],
    ['out of iterations', turn(1, 'continue'), { 'max-iterations': 1 }, { result: 'limit' }],
  ])('plans anew after a cycle that is %s', (_, events, input, cycle) => {
    expect(next([...first, ...events], input)).toMatchObject({ do: 'finish-cycle', cycle })
  })

  it('begins each cycle with a clean record: no verdict, no feedback, no breaker', () => {
    const events = [
      ...first,
      ...turn(1, 'blocked'),
      cycleFinished(1),
      cycleLogged(1),
      scoped(),
      planned(2, 'B'),
      cycleStarted(2),
    ]
    const { loop } = sagaAfter(events)
    expect(loop).not.toHaveProperty('verdict')
    expect(loop).not.toHaveProperty('feedback')
    expect(loop.history).toEqual([])
    const step = next([...events, iteration(2)])
    expect(step).not.toMatchObject({ prompt: expect.stringContaining('blocked 1') })
    expect(step).toMatchObject({ prompt: expect.stringContaining('tasks that are over') })
  })

  it('says of failed checks what is left', () => {
    const failed: NewEvent[] = [
      iteration(1),
      finished('ok', { session: 's1' }),
      notes(['a']),
      trimmed(),
      { type: 'check.failed', iteration: 1, command: 'make', exit: 1, output: '', durationMs: 1 },
      ended(1),
    ]
    expect(next([...first, ...failed], { checks: ['make'], 'max-iterations': 1 })).toMatchObject({
      cycle: { left: ['The check `make` fails.'] },
    })
  })
})

describe('the end of a saga', () => {
  it('is done or blocked when the scoper says so, never when a worker does', () => {
    const reason = 'All there.'
    expect(next([...oneCycle, scoped(), planned(2, reason, { status: 'done' })])).toMatchObject({
      do: 'finish',
      result: 'done',
      reason,
    })
    expect(next([scoped(), planned(1, 'No key.', { status: 'blocked' })])).toMatchObject({
      result: 'blocked',
      reason: expect.stringContaining('No key.'),
    })
  })

  it('is a limit after the last cycle, unless the scoper finds the goal reached', () => {
    const one = { 'max-cycles': 1 }
    expect(next(oneCycle, one)).toEqual({ do: 'run-scoper', cycle: 2 })
    expect(next([...oneCycle, scoped(), planned(2, 'More.')], one)).toMatchObject({
      do: 'finish',
      result: 'limit',
    })
    expect(next([...oneCycle, scoped(), planned(2, '', { status: 'done' })], one)).toMatchObject({
      result: 'done',
    })
    const limited = [...oneCycle, scoped(), planned(2, 'More.'), runFinished('limit'), resumed]
    expect(next(limited, { 'max-cycles': 2 })).toMatchObject({ do: 'start-cycle', cycle: 2 })
  })

  it.each(['First plan.', '  first PLAN', '**First** plan'])(
    'comes when the plan is the same twice in a row: %j',
    (plan) => {
      const events = [...oneCycle, scoped(), planned(2, plan)]
      expect(next(events)).toMatchObject({ do: 'finish', result: 'agent-failing' })
      expect(next([...events, runFinished('agent-failing'), resumed])).toEqual({ do: 'run-scoper', cycle: 2 })
      expect(
        next([...events, runFinished('agent-failing'), resumed, scoped(), planned(2, plan)]),
      ).toMatchObject({
        do: 'start-cycle',
      })
    },
  )

  it('does not come for a plan that was there before another one', () => {
    const two = [
      ...oneCycle,
      scoped(),
      planned(2, 'B'),
      cycleStarted(2),
      ...turn(2, 'done'),
      cycleFinished(2),
      cycleLogged(2),
    ]
    expect(next([...two, scoped(), planned(3, 'First plan.')])).toMatchObject({ do: 'start-cycle', cycle: 3 })
  })

  it('comes after two unreadable answers of the scoper', () => {
    const bad = (attempt: number): NewEvent[] => [
      scoped(),
      { type: 'scoper.unreadable', cycle: 1, attempt, text: '' },
    ]
    expect(next(bad(1))).toEqual({ do: 'run-scoper', cycle: 1 })
    expect(next([...bad(1), ...bad(2)])).toMatchObject({ do: 'finish', result: 'agent-failing' })
    expect(next([...bad(1), ...bad(2), runFinished('agent-failing'), resumed])).toEqual({
      do: 'run-scoper',
      cycle: 1,
    })
  })

  it.each<[string, NewEvent[], Record<string, unknown>, string]>([
    ['money', [...first, ...turn(1, 'continue', { costUsd: 2 })], { 'max-cost-usd': 2 }, 'limit'],
    ['money spent by the scoper', [...oneCycle, scoped({ costUsd: 2 })], { 'max-cost-usd': 2 }, 'limit'],
    ['time', [...first, ...turn(1, 'continue')], { 'max-duration': '60s' }, 'limit'],
    [
      'a signal',
      [...first, ...turn(1, 'continue'), { type: 'run.stopping', signal: 'SIGINT' }],
      {},
      'interrupted',
    ],
    ['a signal between cycles', [...oneCycle, { type: 'run.stopping', signal: 'SIGTERM' }], {}, 'terminated'],
    ['a login', [...first, iteration(1), finished('auth')], {}, 'blocked'],
    [
      "the scoper's login",
      [scoped().type === 'agent.finished' ? finished('auth', { role: 'scoper' }) : scoped()],
      {},
      'blocked',
    ],
  ])('is not the end of a cycle for %s', (_, events, input, result) => {
    expect(next(events, input)).toMatchObject({ do: 'finish', ends: 'run', result })
  })

  it('lets a cycle that is done be written down before a signal or a limit ends the run', () => {
    const stop: NewEvent = { type: 'run.stopping', signal: 'SIGINT' }
    expect(next([...first, ...turn(1, 'done'), stop])).toMatchObject({ do: 'finish-cycle' })
    const dear = [...first, ...turn(1, 'done', { costUsd: 2 })]
    expect(next(dear, { 'max-cost-usd': 2 })).toMatchObject({ do: 'finish-cycle' })
    expect(next([...dear, cycleFinished(1), cycleLogged(1)], { 'max-cost-usd': 2 })).toMatchObject({
      result: 'limit',
    })
  })
})

describe('the scoper', () => {
  it('waits for a limit like any other agent', () => {
    const limited: NewEvent[] = [finished('rate-limit', { role: 'scoper', resetsAt: start + 3_600_000 })]
    expect(next(limited)).toMatchObject({ event: { type: 'wait.started', until: start + 3_605_000 } })
    const waiting: NewEvent[] = [
      ...limited,
      { type: 'wait.started', class: 'rate-limit', reason: '', until: start },
    ]
    expect(next(waiting)).toEqual({ do: 'wait', until: start })
    expect(next([...waiting, { type: 'wait.finished', waitedMs: 1 }])).toEqual({ do: 'run-scoper', cycle: 1 })
  })
})

describe('a resume', () => {
  it.each<[string, readonly NewEvent[], object]>([
    ['while the scoper plans', [], { do: 'run-scoper', cycle: 1 }],
    ['behind the plan', [scoped(), planned(1, 'A')], { do: 'start-cycle', cycle: 1 }],
    [
      'in the middle of a cycle',
      [...first, ...turn(1, 'continue'), iteration(2)],
      { do: 'run-worker', session: 's1' },
    ],
    ['behind the verdict', [...first, ...turn(1, 'done')], { do: 'finish-cycle' }],
    [
      'behind the end of the cycle',
      [...first, ...turn(1, 'done'), cycleFinished(1)],
      { do: 'log-cycle', cycle: 1 },
    ],
    ['behind the log', oneCycle, { do: 'run-scoper', cycle: 2 }],
  ])('goes on %s', (_, events, step) => {
    expect(next([...events, resumed])).toMatchObject(step)
  })
})

describe('periodics in a saga', () => {
  const periodics = [{ name: 'docs', every: 1, prompt: 'x' }]
  const over: NewEvent = {
    type: 'periodic.finished',
    iteration: 1,
    name: 'docs',
    problem: '',
    progress: 'p1',
  }

  it('run after the last iteration of a cycle as well: iterations count over the run', () => {
    const events = [...first, ...turn(1, 'done')]
    expect(next(events, { periodics })).toMatchObject({ event: { type: 'periodic.started', name: 'docs' } })
    const begun: NewEvent = { type: 'periodic.started', iteration: 1, name: 'docs' }
    expect(next([...events, begun, over], { periodics })).toMatchObject({ do: 'finish-cycle' })
  })

  it('do not run when everything ends', () => {
    const stop: NewEvent = { type: 'run.stopping', signal: 'SIGINT' }
    expect(next([...first, ...turn(1, 'done'), stop], { periodics })).toMatchObject({ do: 'finish-cycle' })
  })
})

describe('the hand-off', () => {
  const keep = (events: readonly NewEvent[]): NewEvent[] => [
    ...first,
    ...events,
    cycleFinished(1),
    cycleLogged(1),
    scoped(),
    planned(2, 'Second plan.', { handoff: 'keep' }),
  ]

  it('is fresh by default: the session is left', () => {
    const events = [...oneCycle, scoped(), planned(2, 'Second plan.'), cycleStarted(2)]
    expect(sessionOf(sagaAfter(events).loop, 'worker').id).toBeUndefined()
    expect(next([...events, iteration(2)])).not.toHaveProperty('session')
  })

  it('carries the trimmed session on, with a prompt that closes the earlier plan', () => {
    const events = keep(turn(1, 'done'))
    expect(next(events)).toMatchObject({ do: 'start-cycle', handoff: { session: 's1' } })
    const step = next([...events, cycleStarted(2, 'keep'), iteration(2)])
    expect(step).toMatchObject({ do: 'run-worker', session: 's1' })
    for (const part of ['is over', 'Second plan.'])
      expect(step).toMatchObject({ prompt: expect.stringContaining(part) })
    expect(step).not.toMatchObject({ prompt: expect.stringContaining('done 1') })
  })

  it('tells the plan again in every later turn: a trim leaves the first prompt of the session alone', () => {
    const events = [...keep(turn(1, 'done')), cycleStarted(2, 'keep'), ...turn(2, 'continue'), iteration(3)]
    const step = next(events)
    for (const part of ['is over', 'Second plan.', 'continue 2'])
      expect(step).toMatchObject({ session: 's1', prompt: expect.stringContaining(part) })
  })

  it('ends with the session: after a fork the plan is told as to anyone', () => {
    const forked: NewEvent = { type: 'session.forked', session: 's1', reason: 'x' }
    const step = next([
      ...keep(turn(1, 'done')),
      cycleStarted(2, 'keep'),
      ...turn(2, 'continue'),
      forked,
      iteration(3),
    ])
    expect(step).toMatchObject({ prompt: expect.stringContaining('KEEP:') })
    expect(step).not.toMatchObject({ prompt: expect.stringContaining('began with is over') })
  })

  it('counts the turns of the session on', () => {
    const every = { 'context-fork-every': 3 }
    const events = [...keep(turn(1, 'done')), cycleStarted(2, 'keep')]
    expect(next([...events, ...turn(2, 'continue')], every)).toMatchObject({
      event: { type: 'iteration.started' },
    })
    expect(next([...events, ...turn(2, 'continue'), ...turn(3, 'continue')], every)).toMatchObject({
      event: { type: 'session.forked', reason: expect.stringContaining('context-fork-every') },
    })
  })

  const stale: NewEvent = { type: 'session.stale', session: 's1', reason: 'x' }
  const refused: NewEvent = { type: 'trim.refused', session: 's1', code: 'drift', reason: 'an unknown block' }
  const skipped: NewEvent = { type: 'trim.skipped', reason: 'there is no KEEP line in the notes' }

  it('is made when the last trim was spared for its price: nearly all would have stayed', () => {
    const spared: NewEvent = { type: 'trim.skipped', reason: 'x', tokensBefore: 2_000, tokensAfter: 1_900 }
    expect(next(keep(turn(1, 'done', { trim: spared })))).toMatchObject({
      do: 'start-cycle',
      handoff: { session: 's1' },
    })
  })

  it.each<[string, NewEvent[], Record<string, unknown>, string]>([
    ['stale', [...turn(1, 'done'), stale], {}, 'stale'],
    ['too large', turn(1, 'done', { trim: trimmed(501) }), { 'context-fork-over': 500 }, 'context-fork-over'],
    ['old', turn(1, 'done'), { 'context-fork-every': 1 }, 'context-fork-every'],
    ['to be left by RESET', turn(1, 'done', { notes: notes(['a'], true), trim: skipped }), {}, 'RESET'],
    ['drifted', turn(1, 'done', { trim: refused }), {}, 'an unknown block'],
    ['untrimmed', turn(1, 'done', { notes: notes(null), trim: skipped }), {}, 'no KEEP line'],
    [
      'cut off',
      [...turn(1, 'continue'), iteration(2), finished('crash', { iteration: 2 }), ended(2)],
      { 'max-iterations': 2 },
      'cut off',
    ],
  ])('is refused when the session is %s', (_, events, input, reason) => {
    expect(next(keep(events), input)).toMatchObject({
      do: 'start-cycle',
      handoff: { refused: expect.stringContaining(reason) },
    })
  })

  it('has nothing to hand over before the first cycle', () => {
    expect(next([scoped(), planned(1, 'A', { handoff: 'keep' })])).toMatchObject({ handoff: undefined })
  })
})
