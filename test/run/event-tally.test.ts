import { describe, expect, it } from 'vitest'
import type { AgentEvent, AgentResult } from '../../src/agents/agent.ts'
import { eventTally } from '../../src/run/event-tally.ts'

const result: AgentResult = {
  subtype: 'success',
  isError: false,
  turns: 1,
  durationMs: 1,
  costUsd: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  text: '',
  errors: [],
  denials: [],
}

const said: AgentEvent = { type: 'said', text: 'x' }
const done: AgentEvent = { type: 'result', result }
const background = (kind: 'agent' | 'command'): AgentEvent => ({
  type: 'background-started',
  id: 'b',
  kind,
  target: 'look',
})
const backgroundEnded: AgentEvent = { type: 'background-ended', id: 'b' }

const after = (...events: readonly AgentEvent[]) => {
  const tally = eventTally()
  for (const event of events) tally.add(event)
  return tally
}

describe('the tally of one start', () => {
  it.each<[string, boolean, readonly AgentEvent[]]>([
    ['before the result', false, [said]],
    ['after the result', true, [said, done]],
    [
      'when the end of a background task has woken the model up again',
      false,
      [done, { type: 'started', session: 's' }, said],
    ],
    ['after the second result', true, [done, said, done]],
    ['when the session is not there', true, [{ type: 'session-unknown' }]],
    [
      'when something is not found in a turn that goes on',
      false,
      [{ type: 'started', session: 's' }, { type: 'session-unknown' }],
    ],
    ['while a subagent works beyond the result', false, [background('agent'), done]],
    ['when that subagent has ended', true, [background('agent'), done, backgroundEnded]],
    ['while a command, perhaps a server, runs beyond the result', true, [background('command'), done]],
  ])('%s the agent has finished: %s', (_, finished, events) => {
    expect(after(...events).finished()).toBe(finished)
  })

  it('knows the tool that runs, of several the last', () => {
    const first: AgentEvent = { type: 'tool-called', id: '1', tool: 'Read', target: 'a' }
    const second: AgentEvent = { type: 'tool-called', id: '2', tool: 'Bash', target: 'npm test' }
    const returned = (id: string): AgentEvent => ({ type: 'tool-returned', id, failed: false })
    expect(after(first, second).working()).toBe('Bash npm test')
    expect(after(first, second, returned('2')).working()).toBe('Read a')
    expect(after(first, second, returned('2'), returned('1')).working()).toBeUndefined()
    expect(after(background('agent')).working()).toContain('look')
  })

  it('remembers a retry until an answer comes', () => {
    const retry: AgentEvent = { type: 'retrying', attempt: 1, of: 10, delayMs: 1, cause: '529 overloaded' }
    const answered: AgentEvent = { type: 'usage', message: 'm', tokens: result.tokens }
    expect(after(retry).facts().retrying).toBe('529 overloaded')
    expect(after(retry, answered).facts().retrying).toBeUndefined()
  })

  it('counts what is unknown by name', () => {
    const unknown = (name: string): AgentEvent => ({ type: 'unknown', name })
    expect(after(unknown('a'), unknown('b'), unknown('a')).unknownEvents).toEqual(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    )
  })
})

describe('the money of one start', () => {
  const answer = (message: string, costUsd: number, goesOn: boolean): AgentEvent => ({
    type: 'usage',
    message,
    costUsd,
    goesOn,
    tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  })

  it.each<[string, boolean, readonly AgentEvent[]]>([
    ['is left below the budget', false, [answer('a', 0.4, true), answer('b', 0.5, true)]],
    [
      'is spent when the next answer would be beyond it',
      true,
      [answer('a', 0.5, true), answer('b', 0.5, true)],
    ],
    ['counts an answer that is told twice once', false, [answer('a', 0.5, true), answer('a', 0.5, true)]],
    ['does not matter behind the last answer', false, [answer('a', 2, false)]],
    ['is not known of a CLI that names no cost', false, [answer('a', 0, true)]],
  ])('%s', (_, expected, events) => {
    expect(after(...events).isBeyond(1)).toBe(expected)
  })
})
