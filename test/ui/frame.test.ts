import fc from 'fast-check'
import { createColors } from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Activity, NewEvent, RunEvent } from '../../src/events.ts'
import { frame, titleText } from '../../src/ui/frame.ts'
import { see, type View } from '../../src/ui/view.ts'
import { widthOf } from '../../src/ui/width.ts'
import { agentFinished, begin, longRun, stamped, start } from '../report/made-run.ts'

const plain = createColors(false)
const wide = { columns: 100, rows: 30 }

const started = (role: 'worker' | 'judge' = 'worker'): NewEvent => ({
  type: 'agent.started',
  iteration: 1,
  role,
  attempt: 1,
  pid: 1,
  pidStart: '',
})

const viewOf = (
  events: readonly (readonly [number, NewEvent])[],
  activities: readonly Activity[] = [],
  directives: Record<string, unknown> = {},
): View => {
  const all: readonly (RunEvent | Activity)[] = [
    ...stamped([[0, { ...begin, directives: { ...begin.directives, ...directives } }], ...events]),
    ...activities,
  ]
  const view = all.reduce<View | undefined>(
    (seen, event) => see(seen, event, 'at' in event ? Date.parse(event.at) : start),
    undefined,
  )
  if (view === undefined) throw new Error('no view')
  return view
}

const usage = (cacheRead: number, output = 10): Activity => ({
  type: 'agent.usage',
  role: 'worker',
  tokens: { input: 5, output, cacheRead, cacheWrite: 100 },
})

const shown = (view: View, now = start, size = wide) => frame(view, size, now, plain).join('\n')
const iteration = [0, { type: 'iteration.started', iteration: 1 }] as const

describe('the live block', () => {
  it('shows iteration and limits, time, cost and budget', () => {
    const view = viewOf([iteration, [60_000, agentFinished('worker', 1, { costUsd: 1.25 })]], [], {
      'max-cost-usd': 5,
      'max-duration': '8h',
      'max-iterations': 20,
    })
    expect(shown(view, start + 65_000)).toContain(
      'task.md · iteration 1 of 20 · 1m 05s of 8h 00m · $1.25 of $5.00',
    )
  })

  it('shows what the agent does now, and for how long it has run', () => {
    const view = viewOf(
      [iteration, [0, started()]],
      [{ type: 'agent.tool', role: 'worker', tool: 'Edit', target: 'src/a.ts' }],
    )
    expect(shown(view, start + 12_000)).toContain('▸ worker 12s Edit src/a.ts')
  })

  it('counts an answer once that is reported once a block', () => {
    const view = viewOf([iteration, [0, started()]], [usage(1000), usage(1000, 30), usage(1200, 5)])
    expect(shown(view)).toContain('2.4k tokens in · 91% from cache · 35 out')
  })

  it('counts nothing twice when the agent has ended', () => {
    const before = viewOf([iteration, [0, started()]], [usage(1000)])
    const [end] = stamped([[5000, agentFinished('worker', 1)]])
    const after = end === undefined ? undefined : see(before, end, start)
    expect(after === undefined ? '' : shown(after)).toContain('1.0k tokens in · 80% from cache · 50 out')
  })

  it('shows the context against the fork, and what the last trim did', () => {
    const view = viewOf([iteration, [0, started()]], [usage(59_895)], { 'context-fork-over': '120k' })
    expect(shown(view)).toMatch(/context █{12}░{12} 60\.0k of 120k \(fork\)/)
  })

  it.each([
    [150_000, 'of 200k'],
    [250_000, 'of 1M'],
  ])('without a fork, the bar for %d tokens ends %s', (tokens, text) =>
    expect(shown(viewOf([iteration, [0, started()]], [usage(tokens)]))).toContain(text),
  )

  it('counts a wait down', () => {
    const view = viewOf([
      iteration,
      [
        1000,
        {
          type: 'wait.started',
          class: 'rate-limit',
          reason: 'session limit reached',
          until: start + 125_000,
        },
      ],
    ])
    expect(shown(view, start + 5000)).toMatch(/waits 2m 00s more, until .*: session limit reached/)
  })

  it('names the check that runs, the next periodic and the next fork', () => {
    const view = viewOf(
      [
        iteration,
        [0, agentFinished('worker', 1)],
        [0, { type: 'notes.read', keep: [], reset: false, digest: '' }],
        [0, { type: 'trim.skipped', reason: '' }],
      ],
      [],
      { periodics: [{ name: 'docs', every: 5, prompt: 'x' }], 'context-fork-every': 8 },
    )
    expect(shown(view)).toContain('▸ check: npm test')
    expect(shown(view)).toContain('docs after 4 more iterations · next fork: in 7 turns')
  })

  it('shows where a saga stands: its cycle, the iteration of the cycle, who plans', () => {
    const plan = { status: 'plan', title: 'Keep digits', plan: 'Do it.', handoff: 'fresh' } as const
    const planned = [
      [0, { type: 'cycle.planned', cycle: 1, ...plan }],
      [0, { type: 'cycle.started', cycle: 1, title: plan.title, handoff: 'fresh', commit: null }],
    ] as const
    const saga = (events: Parameters<typeof viewOf>[0]) => {
      const [first, ...rest] = stamped([[0, { ...begin, kind: 'saga' }], ...events])
      const seen = [first, ...rest].reduce<View | undefined>(
        (view, event) => (event === undefined ? view : see(view, event, start)),
        undefined,
      )
      if (seen === undefined) throw new Error('no view')
      return seen
    }
    expect(shown(saga([]))).toMatch(/cycle 1 of 10 · .*\n▸ asks the scoper for a plan/)
    const view = saga([...planned, iteration, [0, started()]])
    expect(shown(view)).toContain('cycle 1 of 10: Keep digits · iteration 1 of 500')
    expect(titleText(view)).toBe('yoke cycle 1 · 1/500 · worker · $0.00')
  })

  it('says that it stops after this iteration', () => {
    expect(shown(viewOf([iteration, [0, { type: 'run.stopping', signal: 'SIGINT' }]]))).toContain(
      'stops after this iteration',
    )
  })

  it('takes the power over the terminal from what an agent says', () => {
    const view = viewOf(
      [iteration, [0, started()]],
      [{ type: 'agent.said', role: 'worker', text: 'a\u001b[2J\nb\u0007' }],
    )
    expect(shown(view)).toContain('a�[2J b�')
    expect(shown(view)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })

  it('never passes the size of the terminal, whatever it shows', () => {
    const events = longRun(12).events
    const busy: Activity = { type: 'agent.said', role: 'worker', text: '漢字👩‍🚀 é '.repeat(40) }
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 220 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: events.length }),
        (columns, rows, count) => {
          const view = [...events.slice(0, count), busy].reduce<View | undefined>(
            (seen, event) => see(seen, event, start),
            undefined,
          )
          const lines = view === undefined ? [] : frame(view, { columns, rows }, start, plain)
          expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1))
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(1, columns - 1))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('keeps what happens now when there is room for one line only', () => {
    const view = viewOf([iteration, [0, started()]])
    expect(frame(view, { columns: 40, rows: 2 }, start, plain)).toEqual(['▸ worker 0s'])
  })

  it('puts iteration, role and cost into the title', () => {
    expect(titleText(viewOf([iteration, [0, started()]], [], { 'max-iterations': 20 }))).toBe(
      'yoke 1/20 · worker · $0.00',
    )
  })
})
