import { expect, it } from 'vitest'
import { agentOf, modelOf } from '../../src/task/roles.ts'

it.each([
  ['worker', 'claude'],
  ['judge', 'opencode'],
  ['scoper', 'claude'],
  ['periodic:docs', 'claude'],
] as const)('with another judge, the %s is played by %s', (role, agent) => {
  expect(agentOf({ agent: 'claude', 'judge-agent': 'opencode', 'scoper-agent': undefined }, role)).toBe(agent)
})

it("hands the worker's model to its own agent alone", () => {
  const models = { model: 'opus', 'judge-model': undefined, 'scoper-model': 'own/m1' }
  const mixed = { agent: 'claude', 'judge-agent': 'opencode', 'scoper-agent': 'opencode' } as const
  const roles = ['worker', 'periodic:docs', 'judge', 'scoper'] as const
  expect(roles.map((role) => modelOf({ ...models, ...mixed }, role))).toEqual([
    ...['opus', 'opus', undefined, 'own/m1'],
  ])
})
