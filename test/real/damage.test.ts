import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { processStart } from '../../src/system/process-start.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { journalOf, of, place, roles, runOf, twoTurns } from './project.ts'

const { files, worker, judge } = twoTurns()
const scenario = { name: 'damage', roles, script: { worker: [worker, worker, worker], judge } }

type Where = Awaited<ReturnType<typeof place>>

/** Runs until the first event of a type, at which something is done once. */
const until = async ({ project, env }: Where, type: string, act: (pid: number, event: RunEvent) => void) => {
  let done = false
  return yoke(['brute', 'task.md', '--json'], {
    cwd: project,
    env,
    onLine: (line, pid) => {
      const event = JSON.parse(line)
      if (done || event.type !== type) return
      done = true
      act(pid, event)
    },
  })
}

const afterOneIteration = async (): Promise<Where> => {
  const where = await place({ files, scenario })
  const stopped = await until(where, 'session.opened', (pid) => process.kill(pid, 'SIGINT'))
  expect(stopped.code).toBe(130)
  return where
}

describe('what a power loss does to .loop', () => {
  const truncate = (file: string) => truncateSync(file, Math.floor(readFileSync(file).length / 2))
  it.each<[string, (run: string) => void]>([
    ['state.json is cut off', (run) => truncate(join(run, 'state.json'))],
    ['sessions.json is cut off', (run) => truncate(join(run, 'sessions.json'))],
    [
      'both are missing',
      (run) => {
        for (const name of ['state.json', 'sessions.json']) rmSync(join(run, name))
      },
    ],
    [
      'the files of the iterations are missing',
      (run) => rmSync(join(run, 'iterations'), { recursive: true }),
    ],
    [
      'the last line of the log is cut off',
      (run) => {
        const log = join(run, 'events.jsonl')
        truncateSync(log, readFileSync(log).length - 7)
      },
    ],
    [
      'the log ends in zeros',
      (run) => writeFileSync(join(run, 'events.jsonl'), Buffer.alloc(300), { flag: 'a' }),
    ],
    ['the lock is cut off', (run) => writeFileSync(join(run, '../../lock'), '{"pid":1,"st')],
  ])('%s: resume goes on, and the files are whole again', { timeout: 60_000 }, async (_what, damage) => {
    const { project, env } = await afterOneIteration()
    const run = runOf(project)
    const before = of(journalOf(project), 'session.opened')
    damage(run)
    expect(await yoke(['resume', '--json'], { cwd: project, env })).toMatchObject({ code: 0, stderr: '' })
    const events = journalOf(project)
    expect(of(events, 'session.opened')).toEqual(before)
    expect(of(events, 'iteration.started').map(({ iteration }) => iteration)).toEqual([1, 2])
    expect(JSON.parse(readFileSync(join(run, 'sessions.json'), 'utf8'))).toEqual({
      worker: before.map(({ session }) => ({ id: session })),
    })
    expect(JSON.parse(readFileSync(join(run, 'state.json'), 'utf8'))).toMatchObject({ finished: 'done' })
    expect(existsSync(join(project, '.loop/lock'))).toBe(false)
  })

  it('a task that is gone is named, in a sentence', { timeout: 60_000 }, async () => {
    const { project, env } = await afterOneIteration()
    rmSync(join(runOf(project), 'task.md'))
    const run = await yoke(['resume'], { cwd: project, env })
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('has lost its task') })
    expect(run.stderr).not.toContain('bug in yoke')
  })
})

describe('kill -9', () => {
  it('of the agent ends its turn; the next iteration goes on in its session', {
    timeout: 60_000,
  }, async () => {
    const where = await place({ files, scenario })
    let agent = 0
    let tools = 0
    const run = await yoke(['brute', 'task.md', '--json'], {
      cwd: where.project,
      env: where.env,
      onLine: (line) => {
        const event = JSON.parse(line)
        if (event.type === 'agent.started' && agent === 0) agent = event.pid
        if (event.type === 'agent.tool') tools += 1
        // At the first tool the CLI may not have stored its session yet, which is then a stale one.
        if (event.type === 'agent.tool' && tools === 3) process.kill(agent, 'SIGKILL')
      },
    })
    expect(run.code).toBe(0)
    const events = journalOf(where.project)
    expect(of(events, 'agent.finished').filter(({ role }) => role === 'worker')).toMatchObject([
      { class: 'killed', iteration: 1 },
      { class: 'ok', iteration: 2 },
      ...of(events, 'iteration.started')
        .slice(2)
        .map(() => ({ class: 'ok' })),
    ])
    expect(of(events, 'session.opened').filter(({ role }) => role === 'worker')).toHaveLength(1)
  })

  it('of both: the money of the turn is counted, and the turn is done again', {
    timeout: 60_000,
  }, async () => {
    const where = await place({ files, scenario })
    let agent = { pid: 0, pidStart: '' }
    let killed = false
    await yoke(['brute', 'task.md', '--json'], {
      cwd: where.project,
      env: where.env,
      onLine: (line, pid) => {
        const event = JSON.parse(line)
        if (event.type === 'agent.started') agent = event
        if (event.type !== 'agent.usage' || killed) return
        killed = true
        process.kill(pid, 'SIGKILL')
        process.kill(agent.pid, 'SIGKILL')
      },
    })
    // A process that was killed is there until its new parent has taken note of it.
    await vi.waitFor(() => expect(processStart(agent.pid)).not.toBe(agent.pidStart))
    const resumed = await yoke(['resume', '--json'], { cwd: where.project, env: where.env })
    expect(resumed).toMatchObject({ code: 0, stderr: '' })
    expect(
      eventsOf(resumed)
        .slice(0, 2)
        .map(({ type }) => type),
    ).toEqual(['run.resumed', 'agent.lost'])
    const [lost] = of(journalOf(where.project), 'agent.lost')
    expect(lost).toMatchObject({ role: 'worker', iteration: 1 })
    expect((lost?.tokens.input ?? 0) + (lost?.tokens.cacheWrite ?? 0)).toBeGreaterThan(1000)
    expect(lost?.costUsd).toBeGreaterThan(0)
  })
})

describe('an agent that is ended at once', () => {
  it('costs what it cost, once', { timeout: 60_000 }, async () => {
    const where = await place({ files, scenario })
    const stopped = await until(where, 'agent.usage', (pid) => {
      process.kill(pid, 'SIGINT')
      setTimeout(() => process.kill(pid, 'SIGINT'), 50)
    })
    expect(stopped.code).toBe(130)
    const [lost] = of(journalOf(where.project), 'agent.lost')
    expect(lost?.costUsd).toBeGreaterThan(0)
    expect(of(journalOf(where.project), 'run.finished').at(-1)?.costUsd).toBeCloseTo(lost?.costUsd ?? 0)
    expect(await yoke(['resume', '--json'], { cwd: where.project, env: where.env })).toMatchObject({
      code: 0,
    })
    expect(of(journalOf(where.project), 'agent.lost')).toHaveLength(1)
  })
})

describe('a wait for a limit', () => {
  it('goes on after a kill -9, and costs no iteration', { timeout: 60_000 }, async () => {
    const soon = Math.ceil(Date.now() / 1000) + 12
    const limited = {
      error: { status: 429, type: 'rate_limit_error', message: `Claude AI usage limit reached|${soon}` },
      times: 20,
    }
    const where = await place({
      files,
      scenario: { ...scenario, script: { worker: [[limited], worker, worker], judge } },
    })
    expect((await until(where, 'wait.started', (pid) => process.kill(pid, 'SIGKILL'))).code).toBe(null)
    const resumed = await yoke(['resume', '--json'], { cwd: where.project, env: where.env })
    expect(resumed.code).toBe(0)
    expect(
      eventsOf(resumed)
        .slice(0, 2)
        .map(({ type }) => type),
    ).toEqual(['run.resumed', 'wait.finished'])
    expect(Date.now()).toBeGreaterThan(soon * 1000)
    expect(of(journalOf(where.project), 'wait.started')).toHaveLength(1)
    expect(of(journalOf(where.project), 'iteration.started')).toHaveLength(2)
  })
})

const mayMount = process.platform === 'linux' && process.getuid?.() === 0

describe.skipIf(!mayMount)('a read-only .loop', () => {
  it('is one sentence and exit code 1, at the start and for a resume', { timeout: 60_000 }, async () => {
    const { project, env } = await afterOneIteration()
    const loop = join(project, '.loop')
    execFileSync('mount', ['--bind', loop, loop])
    try {
      execFileSync('mount', ['-o', 'remount,bind,ro', loop])
      for (const args of [['resume'], ['brute', 'task.md']]) {
        const run = await yoke(args, { cwd: project, env })
        expect(run).toMatchObject({ code: 1, stdout: '' })
        expect(run.stderr).toMatch(/E_NOT_WRITABLE|E_SYSTEM_EROFS/)
        expect(run.stderr).not.toContain('bug in yoke')
      }
    } finally {
      execFileSync('umount', [loop])
    }
    expect(await yoke(['resume', '--json'], { cwd: project, env })).toMatchObject({ code: 0 })
  })
})
