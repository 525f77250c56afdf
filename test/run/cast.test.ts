import { expect, it } from 'vitest'
import { agentByName } from '../../src/agents/registry.ts'
import { castOf } from '../../src/run/cast.ts'
import { resolveDirectives } from '../../src/task/resolve.ts'

/** Who plays what, and which agents were looked for. */
const cast = async (values: Readonly<Record<string, unknown>>, kind: 'brute' | 'saga') => {
  const { directives } = resolveDirectives([{ name: 'flag', where: '', values }])
  const asked: string[] = []
  const found = await castOf(
    async (name) => {
      asked.push(name)
      return { agent: agentByName(name), agentFile: `/bin/${name}` }
    },
    directives,
    kind,
  )
  const { worker, judge, scoper } = found
  return [[worker, judge, scoper].map(({ agentFile }) => agentFile.slice('/bin/'.length)), asked]
}

it('looks for each agent that the run needs once, and for no other', async () => {
  const mixed = { 'judge-agent': 'opencode', 'scoper-agent': 'opencode' }
  expect(await cast({}, 'saga')).toEqual([['claude', 'claude', 'claude'], ['claude']])
  expect(await cast(mixed, 'saga')).toEqual([
    ['claude', 'opencode', 'opencode'],
    ['claude', 'opencode'],
  ])
  expect(await cast({ 'scoper-agent': 'opencode' }, 'brute')).toEqual([
    ['claude', 'claude', 'claude'],
    ['claude'],
  ])
  expect(await cast({ ...mixed, judge: 'off' }, 'brute')).toEqual([
    ['claude', 'claude', 'claude'],
    ['claude'],
  ])
  expect(await cast({ 'scoper-agent': 'opencode', judge: 'off' }, 'saga')).toEqual([
    ['claude', 'claude', 'opencode'],
    ['claude', 'opencode'],
  ])
})
