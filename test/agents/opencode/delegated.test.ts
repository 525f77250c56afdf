import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { spentBy } from '../../../src/agents/opencode/delegated.ts'
import { parseLine } from '../../../src/agents/opencode/events.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const program = join(import.meta.dirname, '../../fixtures/programs/opencode-store.mjs')

const errand = (sessionId: string) => ({
  ...{ id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1', type: 'tool', tool: 'task', callID: 'c' },
  state: { status: 'completed', input: { prompt: 'Look' }, output: '', metadata: { sessionId } },
})

const answer = (created: number, cost: number, ...parts: readonly object[]) => ({
  info: {
    ...{ role: 'assistant', time: { created }, cost },
    tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 100, write: 5 } },
  },
  parts,
})

it('is told of a subagent by its call', () => {
  const line = JSON.stringify({ type: 'tool_use', sessionID: 'ses_1', part: errand('ses_2') })
  expect(
    parseLine(line).map((event) => ('session' in event ? [event.type, event.session] : event.type)),
  ).toEqual([...['tool-called', 'tool-returned'], ['delegated', 'ses_2']])
})

it('adds up what subagents and theirs have spent in this turn, each session once, as far as it can be read', async () => {
  const cwd = await temporaryFolder()
  const store = join(cwd, 'store')
  await mkdir(store)
  const sessions = {
    ses_2: [
      { info: { role: 'user', time: { created: 50 } }, parts: [] },
      answer(50, 1),
      answer(150, 2, errand('ses_3')),
    ],
    ses_3: [answer(160, 4, errand('ses_2'))],
  }
  for (const [id, messages] of Object.entries(sessions))
    await writeFile(join(store, `${id}.json`), JSON.stringify({ info: {}, messages }))
  await writeFile(join(store, 'ses_4.json'), 'torn')
  const cli = {
    program,
    cwd,
    env: { PATH: process.env['PATH'], STORE: store },
    launch: <T>(command: T) => command,
  }
  expect(await spentBy(cli, ['ses_2', 'ses_2', 'ses_4', 'ses_5'], 100)).toEqual({
    costUsd: 6,
    tokens: { input: 20, output: 6, cacheRead: 200, cacheWrite: 10 },
  })
})
