import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../src/events.ts'
import { elapsedMs } from '../../src/loop/limits.ts'
import { isListening } from '../../src/loop/run.ts'
import { after, finished, ordinaryIteration, start } from '../helpers/events.ts'
import { cycleStarted, nextOfSaga, planned, resumed, sagaAfter } from '../helpers/run.ts'

const changed = (prompt: string): NewEvent => ({
  type: 'task.changed',
  prompt,
  since: 'The goal.',
  difference: '-The goal.\n+Another goal.',
})
const inCycle = [planned(1, 'Plan one.'), cycleStarted(1)]

describe('a saga', () => {
  it('is told of a changed goal by its scoper: the worker goes on with the plan', () => {
    const events: NewEvent[] = [...inCycle, ...ordinaryIteration(1), changed('Another goal.')]
    expect(sagaAfter(events).loop.task).toBe('Another goal.')
    const step = nextOfSaga([...events, { type: 'iteration.started', iteration: 2 }])
    expect(step).toMatchObject({ do: 'run-worker', session: 's1' })
    expect(JSON.stringify(step)).not.toContain('Another goal')
  })

  it('pauses between cycles and within them', () => {
    expect(nextOfSaga([{ type: 'run.paused' }])).toEqual({ do: 'pause' })
    expect(nextOfSaga([{ type: 'run.paused' }, { type: 'run.continued' }])).toMatchObject({
      do: 'run-scoper',
    })
    expect(nextOfSaga([...inCycle, { type: 'run.paused' }])).toEqual({ do: 'pause' })
    expect(nextOfSaga([...inCycle, { type: 'run.paused' }, resumed])).toMatchObject({ do: 'record' })
  })

  it('is ended by a signal in a wait', () => {
    const waiting: NewEvent[] = [
      finished('rate-limit', { role: 'scoper' }),
      { type: 'wait.started', class: 'rate-limit', reason: '', until: start + 9 },
    ]
    expect(nextOfSaga(waiting)).toMatchObject({ do: 'wait' })
    expect(nextOfSaga([...waiting, { type: 'run.stopping', signal: 'SIGINT' }])).toMatchObject({
      do: 'finish',
      result: 'interrupted',
    })
  })

  it('listens before a plan and between iterations, not while somebody works', () => {
    expect(isListening(sagaAfter([]))).toBe(true)
    expect(isListening(sagaAfter([planned(1, 'Plan one.')]))).toBe(false)
    expect(isListening(sagaAfter(inCycle))).toBe(true)
    expect(isListening(sagaAfter([...inCycle, { type: 'iteration.started', iteration: 1 }]))).toBe(false)
  })
})

it('counts neither a pause nor the wait around it as work', () => {
  // Events come one second apart: worked for 1 s, waited 1 s, paused 1 s, waited 1 s, worked again.
  const state = after([
    { type: 'iteration.started', iteration: 1 },
    { type: 'wait.started', class: 'rate-limit', reason: '', until: start + 9000 },
    { type: 'run.paused' },
    { type: 'run.continued' },
    { type: 'wait.finished', waitedMs: 1000 },
  ])
  expect(elapsedMs(state, start + 5000)).toBe(2000)
  expect(elapsedMs(state, start + 8000)).toBe(5000)
})

it('counts a pause that a kill cut short until it began', () => {
  const state = after([{ type: 'run.paused' }, { type: 'person.said', text: 'x' }, resumed])
  expect(elapsedMs(state, start + 3000)).toBe(1000)
})
