import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { readJournal } from '../../src/run/journal.ts'
import { processStart } from '../../src/system/process-start.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { place, twoFiles } from './project.ts'

const { files, scenario } = twoFiles()

const journalOf = (project: string): readonly RunEvent[] => {
  const [run = ''] = readdirSync(join(project, '.loop/runs'))
  return readJournal(join(project, '.loop/runs', run, 'events.jsonl'))
}

const start = ['brute', 'task.md', '--trust', '--json']

/** Kills yoke as soon as it has printed its `n`-th event; false when it was done before. */
const killAt = async (n: number, where: Awaited<ReturnType<typeof place>>): Promise<boolean> => {
  let seen = 0
  const run = await yoke(start, {
    cwd: where.project,
    env: where.env,
    onLine: (_line, pid) => {
      seen += 1
      if (seen === n) process.kill(pid, 'SIGKILL')
    },
  })
  return run.code === null
}

/** Nothing twice, nothing lost: each step of an iteration was finished once, in one session. */
const expectWhole = (events: readonly RunEvent[]): void => {
  const iterations = events.flatMap((event) => (event.type === 'iteration.started' ? [event.iteration] : []))
  expect(iterations).toEqual(iterations.map((_, index) => index + 1))
  for (const iteration of iterations) {
    const count = (match: (event: RunEvent) => boolean) =>
      events.filter((event) => 'iteration' in event && event.iteration === iteration && match(event)).length
    expect(count(({ type }) => type === 'iteration.finished')).toBe(1)
    expect(count((event) => event.type === 'agent.finished' && event.role === 'worker')).toBe(1)
    expect(count(({ type }) => type === 'check.passed' || type === 'check.failed')).toBe(1)
    expect(count(({ type }) => type === 'judge.verdict')).toBeLessThanOrEqual(1)
  }
  const trims = events.filter(({ type }) => type.startsWith('trim.')).length
  expect(trims).toBe(iterations.length)
  expect(events.at(-1)).toMatchObject({ type: 'run.finished', result: 'done' })
}

// Every boundary in the nightly run, a sample of them in the ordinary one.
const boundaries = process.env['YOKE_NIGHTLY']
  ? Array.from({ length: 40 }, (_, n) => n + 1)
  : [1, 2, 3, 4, 6, 9, 11, 12, 13, 14, 17, 25]

describe('kill -9 of yoke', () => {
  it.each(boundaries)(
    'at event %d: resume goes on, nothing twice, nothing lost',
    { timeout: 60_000 },
    async (n) => {
      const where = await place({ files, scenario })
      const killed = await killAt(n, where)
      const before = journalOf(where.project)
      const opened = before.find((event) => event.type === 'session.opened')
      if (killed) {
        const resumed = await yoke(['resume', '--json'], { cwd: where.project, env: where.env })
        expect(resumed).toMatchObject({ code: 0, stderr: '' })
        expect(eventsOf(resumed)[0]).toMatchObject({ type: 'run.resumed' })
      }
      const events = journalOf(where.project)
      expect(events.slice(0, before.length)).toEqual(before)
      expectWhole(events)
      if (opened !== undefined)
        expect(
          events.filter((event) => event.type === 'session.opened' && event.role === 'worker'),
        ).toHaveLength(1)
      for (const event of events)
        if (event.type === 'agent.started') expect(processStart(event.pid)).not.toBe(event.pidStart)
    },
  )
})

describe('a run that is done', () => {
  it('is not resumed, and says so', { timeout: 60_000 }, async () => {
    const { project, env } = await place({ files, scenario })
    expect(await yoke(start, { cwd: project, env })).toMatchObject({ code: 0 })
    expect(await yoke(['resume'], { cwd: project, env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('E_RUN_DONE'),
    })
    const status = await yoke(['status', '--json'], { cwd: project, env })
    expect(JSON.parse(status.stdout)).toMatchObject({ state: 'done', iteration: 2, pid: null })
    expect(readFileSync(join(project, '.loop/notes.md'), 'utf8')).toBe('KEEP: a.txt\n')
  })
})

describe('signals', () => {
  const signalAt = async (type: string, signals: readonly NodeJS.Signals[]) => {
    const { project, env } = await place({ files, scenario })
    let sent = false
    const run = await yoke(start, {
      cwd: project,
      env,
      onLine: (line, pid) => {
        if (sent || JSON.parse(line).type !== type) return
        sent = true
        for (const [index, signal] of signals.entries())
          setTimeout(() => process.kill(pid, signal), 100 * index)
      },
    })
    return { project, env, run }
  }

  it('the first one ends the run after the iteration', { timeout: 60_000 }, async () => {
    const { project, env, run } = await signalAt('session.opened', ['SIGINT'])
    expect(run.code).toBe(130)
    expect(journalOf(project).filter(({ type }) => type === 'iteration.finished')).toHaveLength(1)
    expect(await yoke(['resume', '--json'], { cwd: project, env })).toMatchObject({ code: 0 })
    expectWhole(journalOf(project))
  })

  it('the second one ends it at once, with the agent', { timeout: 60_000 }, async () => {
    const { project, env, run } = await signalAt('session.opened', ['SIGTERM', 'SIGTERM'])
    expect(run.code).toBe(143)
    const events = journalOf(project)
    expect(events.some(({ type }) => type === 'agent.finished')).toBe(false)
    const agent = events.find((event) => event.type === 'agent.started')
    expect(agent?.type === 'agent.started' && processStart(agent.pid) === agent.pidStart).toBe(false)
    expect(await yoke(['resume', '--json'], { cwd: project, env })).toMatchObject({ code: 0 })
    expectWhole(journalOf(project))
  })
})

describe('two at once', () => {
  it('the second is refused with the pid of the first; stop ends it', { timeout: 60_000 }, async () => {
    const { project, env } = await place({ files, scenario })
    let pid = 0
    const first = yoke(start, { cwd: project, env, onLine: (_line, own) => (pid = own) })
    await expect.poll(() => pid, { timeout: 10_000 }).toBeGreaterThan(0)
    const second = await yoke(start, { cwd: project, env })
    expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining(`process ${pid}`) })
    expect(JSON.parse((await yoke(['status', '--json'], { cwd: project, env })).stdout)).toMatchObject({
      state: 'running',
      pid,
    })
    expect(await yoke(['stop'], { cwd: project, env })).toMatchObject({ code: 0 })
    expect((await first).code).toBe(143)
    expect(readdirSync(join(project, '.loop/runs'))).toHaveLength(1)
  })
})
