import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { initialRun, nextRunStep, reduceRun } from '../../src/loop/run.ts'
import type { Step } from '../../src/loop/state.ts'
import { DirectivesSchema } from '../../src/task/directives.ts'
import { areas } from '../../src/vectors/areas.ts'
import { vectorFiles } from '../../src/vectors/files.ts'
import { loadCases } from '../../src/vectors/load.ts'
import { playScript } from '../../src/vectors/play-script.ts'
import { OutcomeSchema } from '../../src/vectors/script.ts'

const InputSchema = v.object({
  directives: v.record(v.string(), v.unknown()),
  script: v.array(OutcomeSchema),
})

/** Runs that nobody stops: each can be killed behind every one of its events. */
const undisturbed = loadCases(vectorFiles(), areas)
  .filter(({ area }) => ['loop', 'periodics', 'saga'].includes(area))
  .map(({ id, area, input }) => ({ id, area, ...v.parse(InputSchema, input) }))
  .filter(({ script }) => script.every((outcome) => 'role' in outcome))

/** What a step is, apart from what prompts say: they tell of the kill. */
const gist = (step: Step): unknown => {
  switch (step.do) {
    case 'run-worker':
      return [step.do, step.session]
    case 'run-periodic':
      return [step.do, step.name, step.session]
    case 'record':
      return [step.do, step.event]
    default:
      return step
  }
}

/** A resume gives a person's change a chance: what the judge blocked, and what was stuck, may go on (§3.6, §5.3). */
const isGivenAChance = (step: Step): boolean => {
  const result =
    step.do === 'finish' ? step.result : step.do === 'finish-cycle' ? step.cycle.result : undefined
  return result === 'blocked' || result === 'agent-failing'
}

describe('a run that is killed behind any of its events', () => {
  it('has enough runs to be killed', () => {
    expect(undisturbed.length).toBeGreaterThan(70)
  })

  it.each(undisturbed)('$id goes on with the step that was next', ({ area, directives, script }) => {
    const kind = area === 'saga' ? 'saga' : 'brute'
    const events = playScript({ kind, directives, script }).map(({ event }) => event)
    const end = events.findIndex(({ type }) => type === 'run.finished')
    const last = end === -1 ? events.length : end
    for (let killed = 1; killed <= last; killed += 1) {
      const before = events
        .slice(0, killed)
        .reduce(reduceRun, initialRun(v.parse(DirectivesSchema, directives), 'p0', 0))
      const now = { time: before.loop.lastEventAt, jitter: 0, task: 'Do it.' }
      const next = nextRunStep(before, now)
      const at = new Date(before.loop.lastEventAt).toISOString()
      const resumed = reduceRun(before, { type: 'run.resumed', at, run: 'run', yoke: '', directives: {} })
      if (isGivenAChance(next)) continue
      // The row of waits begins anew: only the length of a wait may differ.
      if (next.do === 'record' && next.event.type === 'wait.started') continue
      expect([killed, gist(nextRunStep(resumed, now))]).toEqual([killed, gist(next)])
    }
  })
})
