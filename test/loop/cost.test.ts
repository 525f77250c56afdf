import { expect, it } from 'vitest'
import { printsSessionCost } from '../../src/agents/claude/cost.ts'
import { billOf, costOfStart } from '../../src/loop/cost.ts'
import { after, finished, iteration, noTokens, opened } from '../helpers/events.ts'

it.each([
  ['a release that prints each run', 0.3, 0.5, false, 0.3],
  ['a release that prints the session', 0.8, 0.5, true, 0.3],
  ['a session that was counted anew', 0.2, 0.5, true, 0.2],
  ['the first start', 0.2, 0, true, 0.2],
  ['a start that cost nothing', 0.5, 0.5, true, 0],
])('counts the money once: %s', (_what, printed, before, cumulative, cost) =>
  expect(costOfStart(printed, before, cumulative)).toBeCloseTo(cost),
)

it.each([
  ['1.0.128', false],
  ['2.1.276', false],
  ['2.1.277', true],
  ['2.1.332', true],
  ['2.2.0', true],
  ['3.0.0', true],
  ['', false],
])('knows that claude %s prints the cost of the session: %s', (version, expected) =>
  expect(printsSessionCost(version)).toBe(expected),
)

const cutOff = { costUsd: 0, tokens: { ...noTokens, input: 1000, output: 1000 }, isUnpriced: true } as const

it('estimates an agent that was cut off at the price that the run has paid so far', () => {
  const known = { costUsd: 3, tokens: { ...noTokens, input: 1000 } }
  const bill = billOf(cutOff, { printedBefore: 0.7, isSessionCost: true, known })
  expect(bill).toMatchObject({ tokens: cutOff.tokens, printedCostUsd: 0.7 })
  expect(bill.costUsd).toBeCloseTo(18)
})

it('estimates each kind of token by its price against that of the input', () => {
  const known = { costUsd: 1, tokens: { ...noTokens, input: 1000 } }
  const estimate = (tokens: Partial<typeof noTokens>) =>
    billOf(
      { costUsd: 0, tokens: { ...noTokens, ...tokens }, isUnpriced: true },
      { printedBefore: 0, isSessionCost: true, known },
    ).costUsd
  expect(estimate({ input: 1000 })).toBeCloseTo(1)
  expect(estimate({ output: 1000 })).toBeCloseTo(5)
  expect(estimate({ cacheRead: 1000 })).toBeCloseTo(0.1)
  expect(estimate({ cacheWrite: 1000 })).toBeCloseTo(1.25)
})

it('estimates the first agent of a run, too, and believes a run that costs nothing', () => {
  const bill = (known: { costUsd: number; tokens: typeof noTokens }) =>
    billOf(cutOff, { printedBefore: 0, isSessionCost: false, known }).costUsd
  expect(bill({ costUsd: 0, tokens: noTokens })).toBeGreaterThan(0)
  expect(bill({ costUsd: 0, tokens: { ...noTokens, input: 5 } })).toBe(0)
})

it('believes a printed cost of zero', () => {
  const printed = { costUsd: 0, tokens: cutOff.tokens }
  const known = { costUsd: 3, tokens: cutOff.tokens }
  expect(billOf(printed, { printedBefore: 0, isSessionCost: false, known }).costUsd).toBe(0)
})

it('counts what was lost with its yoke, and compares the next figure of the session with the last one', () => {
  const state = after([
    iteration(1),
    opened('s1'),
    finished('ok', { session: 's1', costUsd: 0.5, printedCostUsd: 0.5 }),
    iteration(2),
    {
      type: 'agent.lost',
      iteration: 2,
      role: 'worker',
      session: 's1',
      costUsd: 0.2,
      printedCostUsd: 0.5,
      tokens: { ...noTokens, input: 7 },
    },
  ])
  expect(state.costUsd).toBeCloseTo(0.7)
  expect(state.tokens.input).toBe(7)
  expect(state.sessions['worker']?.costUsd).toBe(0.5)
  expect(state.phase).toEqual({ at: 'worker' })
})
