import { expect, it } from 'vitest'
import { usedUp } from '../../src/loop/limits.ts'
import { nextStep } from '../../src/loop/next.ts'
import { after, finished, iteration, opened, start, started } from '../helpers/events.ts'

const next = (outcome: string, evidence: string) =>
  nextStep(after([iteration(1), started({ session: 's1' }), opened('s1'), finished(outcome, { evidence })]), {
    time: start + 60_000,
    jitter: 0,
    task: 'Do it.',
  })

it('says why a session is left, in the words of the agent, or by the class where it has none', () => {
  const stale = (reason: string) => ({ event: { type: 'session.stale', session: 's1', reason } })
  expect(next('stale-session', 'No conversation found')).toMatchObject(stale('No conversation found'))
  expect(next('stale-session', '')).toMatchObject(stale('stale-session'))
})

it('gives up on a failure of a class that it does not know', () => {
  expect(next('of-a-newer-yoke', 'It is Monday')).toMatchObject({
    do: 'finish',
    result: 'agent-failing',
    reason: 'It is Monday',
  })
  expect(next('of-a-newer-yoke', '')).toMatchObject({ reason: 'of-a-newer-yoke' })
})

it('counts what is used up in the singular and in the plural', () => {
  expect(usedUp(1, 'cycle')).toBe('the only cycle is used up')
  expect(usedUp(2, 'cycle')).toBe('2 cycles are used up')
})
