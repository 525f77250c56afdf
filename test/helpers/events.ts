import * as v from 'valibot'
import type { NewEvent, RunEvent } from '../../src/events.ts'
import { initialState, reduce } from '../../src/loop/reduce.ts'
import type { RunState } from '../../src/loop/state.ts'
import { type Directives, DirectivesSchema } from '../../src/task/directives.ts'

export const start = Date.parse('2026-12-01T09:00:00.000Z')

export const directives = (input: Record<string, unknown> = {}): Directives =>
  v.parse(DirectivesSchema, input)

export const noTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** The state after these events, one second apart. */
export const after = (events: readonly NewEvent[], input: Record<string, unknown> = {}): RunState =>
  events.reduce(
    (state, event, index) =>
      reduce(state, {
        ...event,
        at: new Date(start + 1000 * (index + 1)).toISOString(),
        run: 'r',
      } as RunEvent),
    initialState(directives(input), 'p0', start),
  )

export const finished = (
  outcome: string,
  more: Partial<Extract<NewEvent, { type: 'agent.finished' }>> = {},
): NewEvent => ({
  type: 'agent.finished',
  iteration: 1,
  role: 'worker',
  class: outcome,
  costUsd: 0,
  printedCostUsd: 0,
  tokens: noTokens,
  turns: 1,
  durationMs: 1,
  denials: [],
  unknownEvents: {},
  evidence: '',
  ...more,
})

export const started = (more: Partial<Extract<NewEvent, { type: 'agent.started' }>> = {}): NewEvent => ({
  type: 'agent.started',
  iteration: 1,
  role: 'worker',
  attempt: 1,
  pid: 1,
  pidStart: '',
  ...more,
})

export const iteration = (n: number): NewEvent => ({ type: 'iteration.started', iteration: n })
export const ended = (n: number, progress = `p${n}`): NewEvent => ({
  type: 'iteration.finished',
  iteration: n,
  progress,
})
export const opened = (session: string): NewEvent => ({ type: 'session.opened', role: 'worker', session })
export const notes = (keep: readonly string[] | null, reset = false): NewEvent => ({
  type: 'notes.read',
  keep: keep === null ? null : [...keep],
  reset,
  digest: '',
})
export const verdict = (
  word: 'done' | 'continue' | 'blocked',
  reasons: readonly string[] = [],
): NewEvent => ({
  type: 'judge.verdict',
  iteration: 1,
  verdict: word,
  reasons: [...reasons],
  next: '',
})

/** A whole iteration of an agent that does its work and a judge that wants more. */
export const ordinaryIteration = (
  n: number,
  progress = `p${n}`,
  objection = `objection ${n}`,
): readonly NewEvent[] => [
  iteration(n),
  started({ iteration: n }),
  ...(n === 1 ? [opened('s1')] : []),
  finished('ok', { iteration: n, session: 's1' }),
  notes(['a.ts']),
  { type: 'trim.skipped', reason: 'test' },
  verdict('continue', [objection]),
  ended(n, progress),
]
