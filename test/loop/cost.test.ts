import { expect, it } from 'vitest'
import { printsSessionCost } from '../../src/agents/claude/cost.ts'
import { costOfStart } from '../../src/loop/cost.ts'

it.each([
  ['a release that prints each run', 0.3, 0.5, false, 0.3],
  ['a release that prints the session', 0.8, 0.5, true, 0.3],
  ['a session that was counted anew', 0.2, 0.5, true, 0.2],
  ['the first start', 0.2, 0, true, 0.2],
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
