import { describe, expect, it } from 'vitest'
import type { NewEvent, RunEvent } from '../../src/events.ts'
import { budgetShare, exitCodeOfAll, type Fleet, joinFleet, othersOf } from '../../src/loop/fleet.ts'
import { finished, start } from '../helpers/events.ts'
import { runFinished } from '../helpers/run.ts'

const fleetOf = (...events: readonly (readonly [run: string, event: NewEvent])[]): Fleet =>
  events.reduce<Fleet>(
    (fleet, [run, event]) =>
      joinFleet(fleet, { ...event, run, at: new Date(start).toISOString() } as RunEvent),
    new Map(),
  )

const wait = (until: number, cause = 'rate-limit'): NewEvent => ({
  type: 'wait.started',
  class: cause,
  reason: `until ${until}`,
  until,
})

describe('what a run knows of the others', () => {
  it('is what they cost, in every role, and which of them are at work', () => {
    const fleet = fleetOf(
      ['a', finished('ok', { costUsd: 1 })],
      ['b', finished('ok', { costUsd: 2 })],
      ['b', finished('ok', { costUsd: 0.5, role: 'judge' })],
      ['c', finished('ok', { costUsd: 4 })],
      ['c', runFinished('done')],
    )
    expect(othersOf(fleet, 'a')).toEqual({ costUsd: 6.5, working: 1 })
    expect(othersOf(fleet, 'c')).toEqual({ costUsd: 3.5, working: 2 })
    expect(othersOf(fleet, '')).toEqual({ costUsd: 7.5, working: 2 })
  })

  it('is the latest wait for a usage limit of theirs, and no other wait', () => {
    const fleet = fleetOf(['a', wait(9)], ['b', wait(5)], ['c', wait(7)], ['c', wait(99, 'overloaded')])
    expect(othersOf(fleet, 'a').wait?.until).toBe(7)
    expect(othersOf(fleet, 'b').wait?.until).toBe(9)
  })

  it('leaves each start of an agent its share of the money, never nothing', () => {
    expect(budgetShare(10, 1)).toBe(9)
    expect(budgetShare(10, 1, { costUsd: 3, working: 2 })).toBe(2)
    expect(budgetShare(10, 1, { costUsd: 30, working: 0 })).toBe(0.0001)
  })
})

describe('the exit code of several', () => {
  it.each([
    [[0, 0], 0],
    [[0, 3, 4], 3],
    [[4, 0, 130], 130],
    [[5, 143], 143],
  ])('%j is %d', (codes, code) => {
    expect(exitCodeOfAll(codes)).toBe(code)
  })
})
