import { expect, it } from 'vitest'
import type { NewEvent, RunEvent } from '../../src/events.ts'
import { elapsedMs } from '../../src/loop/limits.ts'
import { initialState, reduce } from '../../src/loop/reduce.ts'
import { directives, finished, iteration } from '../helpers/events.ts'

const minute = 60_000
const hour = 60 * minute

/** The time that counts as work, after events at these times. */
const worked = (events: readonly (readonly [at: number, event: NewEvent])[], now: number, input = {}) =>
  elapsedMs(
    events
      .map(([at, event]) => ({ ...event, at: new Date(at).toISOString(), run: 'r' }) as RunEvent)
      .reduce(reduce, initialState(directives(input), 'p0', 0)),
    now,
  )

const limited: readonly (readonly [number, NewEvent])[] = [
  [0, iteration(1)],
  [5 * minute, finished('rate-limit', { resetsAt: 4 * hour })],
  [5 * minute, { type: 'wait.started', class: 'rate-limit', reason: '', until: 4 * hour }],
]
const resumed: NewEvent = { type: 'run.resumed', yoke: '', directives: {} }

it('does not count a wait as work, unless it is told so', () => {
  const waited: typeof limited = [
    ...limited,
    [4 * hour, { type: 'wait.finished', waitedMs: 4 * hour - 5 * minute }],
  ]
  expect(worked(waited, 4 * hour)).toBe(5 * minute)
  expect(worked(waited, 4 * hour, { 'count-waits': 'on' })).toBe(4 * hour)
})

it('does not count a wait that a signal cut short, nor the rest of it after a resume', () => {
  const stopped: typeof limited = [
    ...limited,
    [3 * hour, { type: 'run.stopping', signal: 'SIGTERM' }],
    [10 * hour, resumed],
  ]
  expect(worked(stopped, 10 * hour)).toBe(5 * minute)
  expect(worked([...stopped, [11 * hour, { type: 'wait.finished', waitedMs: hour }]], 11 * hour)).toBe(
    5 * minute,
  )
})

it('does not count a wait that a kill cut short twice', () => {
  const killed: typeof limited = [
    ...limited,
    [2 * hour, resumed],
    [3 * hour, { type: 'run.stopping', signal: 'SIGINT' }],
    [5 * hour, resumed],
  ]
  expect(worked(killed, 5 * hour)).toBe(5 * minute)
})
