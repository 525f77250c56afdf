import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../src/events.ts'
import { nextFork, nextPeriodics } from '../../src/loop/outlook.ts'
import { after, iteration, notes, ordinaryIteration } from '../helpers/events.ts'

const periodics = [
  { name: 'a', every: 1, prompt: 'x' },
  { name: 'b', every: 3, prompt: 'x' },
]
const begun: NewEvent = { type: 'periodic.started', iteration: 1, name: 'a' }
const over: NewEvent = { type: 'periodic.finished', iteration: 1, name: 'a', problem: '', progress: 'p1' }
const two = [...ordinaryIteration(1), ...ordinaryIteration(2)]

describe('the next turns of periodics', () => {
  it.each<[string, readonly NewEvent[], string[]]>([
    ['before the first iteration', [], ['a 1', 'b 3']],
    ['during the first', [iteration(1)], ['a 1', 'b 3']],
    ['after it', ordinaryIteration(1), ['a now', 'b 3']],
    ['while one has its turn', [...ordinaryIteration(1), begun], ['a now', 'b 3']],
    ['after that', [...ordinaryIteration(1), begun, over], ['a 2', 'b 3']],
    ['during the third', [...two, iteration(3)], ['a 3', 'b 3']],
    ['after the third', [...two, ...ordinaryIteration(3)], ['a now', 'b now']],
  ])('%s', (_, events, expected) => {
    const shown = nextPeriodics(after(events, { periodics })).map(
      ({ name, after, isDue }) => `${name} ${isDue ? 'now' : after}`,
    )
    expect(shown).toEqual(expected)
  })
})

describe('the reason of the next fork', () => {
  it.each<[string, readonly NewEvent[], Record<string, unknown>, string | undefined]>([
    ['none is set', two, {}, undefined],
    ['RESET', [...two, notes(['a'], true)], { 'context-fork-every': 5 }, 'RESET: TRUE'],
    ['turns to come', two, { 'context-fork-every': 5 }, 'in 3 turns (context-fork-every: 5)'],
    ['turns reached', two, { 'context-fork-every': 2 }, 'has lasted 2 turns'],
    ['tokens to come', two, { 'context-fork-over': '10k' }, 'more than 10000 tokens, now about 0'],
    [
      'both',
      two,
      { 'context-fork-over': '10k', 'context-fork-every': 5 },
      'turns (context-fork-every: 5), or when',
    ],
  ])('%s', (_, events, input, expected) => {
    const reason = nextFork(after(events, input))
    if (expected === undefined) expect(reason).toBeUndefined()
    else expect(reason).toContain(expected)
  })
})
