import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { readJournal } from '../../src/run/journal.ts'
import { yoke } from '../helpers/yoke.ts'
import { notes, place, read, reply, roles, say, verdict, write } from './project.ts'

/** An answer of claude-sonnet-4-5 with these counts costs $0.60. */
const usage = {
  input_tokens: 100_000,
  output_tokens: 20_000,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
}
const dear = (...blocks: readonly object[]) => ({ ...reply(...blocks), usage })
const worker = [
  dear(read('a.txt')),
  dear(write('step-{{turn}}', 'x')),
  dear(notes('KEEP: a.txt\n')),
  dear(say('Went on.')),
]
const no = [dear(verdict('continue', 'More {{turn}}.')), dear(say('no'))]
const scenario = {
  name: 'money',
  roles,
  script: { worker: [worker, worker, worker, worker], judge: [no, no, no, no] },
}

const journalOf = (project: string): readonly RunEvent[] => {
  const [run = ''] = readdirSync(join(project, '.loop/runs'))
  return readJournal(join(project, '.loop/runs', run, 'events.jsonl'))
}

/** What each start of the worker added to the books. */
const workerCosts = (events: readonly RunEvent[]): readonly number[] =>
  events.flatMap((event) =>
    (event.type === 'agent.finished' || event.type === 'agent.lost') && event.role === 'worker'
      ? [event.costUsd]
      : [],
  )

describe('the money of a run', () => {
  it.each(['agent', 'yoke'] as const)(
    'counts each answer once, also those of a turn in which the %s was killed',
    { timeout: 90_000 },
    async (victim) => {
      const { project, env, server } = await place({
        files: { 'task.md': 'Go on and on.\n', 'a.txt': 'kept\n' },
        scenario,
      })
      const args = ['brute', 'task.md', '--json', '--max-iterations', '3', '--model', 'claude-sonnet-4-5']
      let agent = 0
      let iteration = 0
      let killed = false
      const first = await yoke(args, {
        cwd: project,
        env,
        onLine: (line, pid) => {
          const event = JSON.parse(line)
          if (event.type === 'iteration.started') iteration = event.iteration
          if (event.type === 'agent.started') agent = event.pid
          if (iteration !== 2 || event.type !== 'agent.tool' || event.role !== 'worker' || killed) return
          killed = true
          if (victim === 'yoke') process.kill(pid, 'SIGKILL')
          process.kill(agent, 'SIGKILL')
        },
      })
      if (victim === 'yoke') {
        expect(first.code).toBe(null)
        expect((await yoke(['resume', '--json'], { cwd: project, env })).code).toBe(3)
      } else expect(first.code).toBe(3)
      const events = journalOf(project)
      const [whole = 0, cutOff = 0, next = 0] = workerCosts(events)
      expect(whole).toBeCloseTo(2.4, 0)
      // The CLI reports an answer with the output tokens that it had when it began: the estimate holds the input for certain.
      expect(cutOff).toBeGreaterThanOrEqual(0.3)
      expect(cutOff).toBeLessThan(1.21)
      // This release prints what the whole session has cost: that must not be counted again.
      expect(next).toBeCloseTo(2.4, 0)
      const answers = server.requests.filter(({ role, status }) => role !== undefined && status === 200)
      const end = events.findLast((event) => event.type === 'run.finished')
      expect(Math.abs((end?.costUsd ?? 0) - 0.6 * answers.length)).toBeLessThan(0.61)
    },
  )
})
