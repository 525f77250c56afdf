import type { NewEvent, RunEvent } from '../../src/events.ts'

export const start = Date.parse('2026-12-01T09:00:00.000Z')

type Begin = RunEvent & { type: 'run.started' }

/** Events with times: each begins when the one before it is over. */
export const stamped = (events: readonly (readonly [ms: number, event: NewEvent])[]): readonly RunEvent[] => {
  let at = start
  return events.map(([ms, event]) => {
    at += ms
    return { ...event, at: new Date(at).toISOString(), run: '20261201-090000-aaaa' } as RunEvent
  })
}

export const begin: NewEvent & { type: 'run.started' } = {
  type: 'run.started',
  kind: 'brute',
  yoke: '0.1.0',
  task: '/home/me/project/task.md',
  cwd: '/home/me/project',
  agent: 'claude',
  agentFile: '/usr/bin/claude',
  progress: 'p0',
  directives: { checks: ['npm test'], 'max-iterations': 500 },
}

export const agentFinished = (
  role: 'worker' | 'judge' | `periodic:${string}`,
  iteration: number,
  more: Partial<NewEvent & { type: 'agent.finished' }> = {},
): NewEvent => ({
  type: 'agent.finished',
  iteration,
  role,
  class: 'ok',
  costUsd: 0.1,
  printedCostUsd: 0.1,
  tokens: { input: 100, output: 50, cacheRead: 800, cacheWrite: 100 },
  turns: 3,
  durationMs: 1000,
  denials: [],
  unknownEvents: {},
  evidence: '',
  ...more,
})

/** A run of so many iterations in which all that a report shows comes to pass. The same number gives the same run. */
export const longRun = (
  iterations: number,
): { readonly begin: Begin; readonly events: readonly RunEvent[] } => {
  const events: [number, NewEvent][] = [[0, begin]]
  const wave = (n: number, size: number) => Math.round(size * (1 + Math.sin(n * 1.7) / 2))
  for (let n = 1; n <= iterations; n++) {
    if (n % 50 === 0)
      events.push([100, { type: 'session.forked', session: 's', reason: `the session has lasted 50 turns` }])
    const first = 20_000 + wave(n, 4000) + (n % 50) * 400
    const peak = first + wave(n, 30_000)
    events.push(
      [500, { type: 'iteration.started', iteration: n }],
      [
        wave(n, 90_000),
        agentFinished('worker', n, {
          durationMs: wave(n, 90_000),
          costUsd: wave(n, 400) / 1000,
          tokens: { input: 900, output: wave(n, 3000), cacheRead: peak * 9, cacheWrite: peak },
          context: { first, peak },
        }),
      ],
      [
        200,
        {
          type: 'trim.applied',
          session: 's',
          kept: ['src/a.ts', 'src/<script>alert(1)</script>.ts'],
          tokensBefore: peak - 15_000,
          tokensAfter: first - 15_000,
          bytesBefore: 1,
          bytesAfter: 1,
          refreshed: n % 7 === 0 ? ['src/a.ts'] : [],
          dropped: n % 9 === 0 ? [{ path: 'src/gone.ts', reason: 'it was deleted' }] : [],
          unmatched: [],
          durationMs: 5,
        },
      ],
    )
    if (n % 5 === 2)
      events.push([
        3000,
        {
          type: 'check.failed',
          iteration: n,
          command: 'npm test',
          exit: 1,
          output: 'not ok 3 - <b>keeps digits</b>\n'.repeat(4),
          durationMs: 3000,
        },
      ])
    else
      events.push(
        [3000, { type: 'check.passed', iteration: n, command: 'npm test', durationMs: 3000 }],
        [20_000, agentFinished('judge', n, { durationMs: 20_000, costUsd: 0.05 })],
        [
          10,
          {
            type: 'judge.verdict',
            iteration: n,
            verdict: n === iterations ? 'done' : 'continue',
            reasons: [
              `Reason ${n}: the option \`separator\` is not in the README & "docs" <i>say</i> nothing.`,
            ],
            next: 'Write it down.',
          },
        ],
      )
    if (n === Math.ceil(iterations / 2))
      events.push(
        [10, { type: 'wait.started', class: 'rate-limit', reason: 'session limit reached', until: 0 }],
        [1_200_000, { type: 'wait.finished', waitedMs: 1_200_000 }],
      )
    events.push([100, { type: 'iteration.finished', iteration: n, progress: `p${n}` }])
    if (n % 10 === 0)
      events.push(
        [10, { type: 'periodic.started', iteration: n, name: 'docs' }],
        [15_000, agentFinished('periodic:docs', n, { durationMs: 15_000, costUsd: 0.08 })],
        [10, { type: 'periodic.finished', iteration: n, name: 'docs', problem: '', progress: `p${n}` }],
      )
  }
  events.push([
    10,
    {
      type: 'run.finished',
      result: 'done',
      reason: 'The option is documented.',
      fix: '',
      exitCode: 0,
      iterations,
      costUsd: 1,
      tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      durationMs: 1,
    },
  ])
  const all = stamped(events)
  const [head] = all
  if (head?.type !== 'run.started') throw new Error('a run begins with run.started')
  return { begin: head, events: all }
}
