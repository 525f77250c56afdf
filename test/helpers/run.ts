import type { NewEvent, RunEvent } from '../../src/events.ts'
import { initialRun, nextRunStep, type Run, reduceRun } from '../../src/loop/run.ts'
import type { Step } from '../../src/loop/state.ts'
import { directives, start } from './events.ts'

/** How a run begins. */
export const begin: Extract<NewEvent, { type: 'run.started' }> = {
  type: 'run.started',
  kind: 'saga',
  yoke: '',
  task: '',
  cwd: '',
  agent: 'claude',
  agentFile: '',
  progress: 'p0',
  directives: {},
}

/** The saga after these events, one second apart. */
export const sagaAfter = (events: readonly NewEvent[], input: Record<string, unknown> = {}): Run =>
  [begin, ...events].reduce(
    (run, event, index) =>
      reduceRun(run, { ...event, at: new Date(start + 1000 * index).toISOString(), run: 'r' } as RunEvent),
    initialRun(directives(input), 'p0', start),
  )

export const nextOfSaga = (
  events: readonly NewEvent[],
  input: Record<string, unknown> = {},
  time = start + 60_000,
): Step => nextRunStep(sagaAfter(events, input), { time, jitter: 0, task: 'The goal.' })

export const planned = (
  cycle: number,
  plan: string,
  more: Partial<Extract<NewEvent, { type: 'cycle.planned' }>> = {},
): NewEvent => ({
  type: 'cycle.planned',
  cycle,
  status: 'plan',
  title: `Title ${cycle}`,
  plan,
  handoff: 'fresh',
  ...more,
})

export const cycleStarted = (cycle: number, handoff: 'fresh' | 'keep' = 'fresh'): NewEvent => ({
  type: 'cycle.started',
  cycle,
  title: `Title ${cycle}`,
  handoff,
  commit: 'c0',
})

export const cycleFinished = (cycle: number): NewEvent => ({
  type: 'cycle.finished',
  cycle,
  title: `Title ${cycle}`,
  result: 'done',
  reason: '',
  left: [],
  iterations: 1,
  costUsd: 0,
  commits: { from: 'c0', to: 'c1' },
})

export const cycleLogged = (cycle: number): NewEvent => ({ type: 'cycle.logged', cycle })

export const runFinished = (result: Extract<NewEvent, { type: 'run.finished' }>['result']): NewEvent => ({
  type: 'run.finished',
  result,
  reason: '',
  fix: '',
  exitCode: 1,
  iterations: 1,
  costUsd: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  durationMs: 1,
})

export const resumed: NewEvent = { type: 'run.resumed', yoke: '', directives: {} }
