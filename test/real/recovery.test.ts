import { execFileSync } from 'node:child_process'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageTexts } from '../../src/probe/request-view.ts'
import { readJournal } from '../../src/run/journal.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { place, reply, roles, say, twoTurns, verdict } from './project.ts'

const { files: own, worker, judge } = twoTurns()
const files = { ...own, 'damage.sh': '' }
const scenario = { name: 'recovery', roles, script: { worker: [worker, worker, worker], judge } }

const journalOf = (project: string) => {
  const [run = ''] = readdirSync(join(project, '.loop/runs'))
  return { id: run, events: readJournal(join(project, '.loop/runs', run, 'events.jsonl')) }
}

const sessionFile = (home: string): string =>
  execFileSync('find', [home, '-name', '*.jsonl', '-path', '*projects*']).toString().trim().split('\n')[0] ??
  ''

/** Runs the first iteration, stops, damages the session, resumes. */
const damaged = async (damage: (file: string) => void) => {
  const where = await place({ files, scenario })
  const { project, home, env } = where
  const stopped = await yoke(['brute', 'task.md', '--json'], {
    cwd: project,
    env,
    onLine: (line, pid) => {
      if (JSON.parse(line).type === 'session.opened') process.kill(pid, 'SIGINT')
    },
  })
  expect(stopped.code).toBe(130)
  const file = sessionFile(home)
  damage(file)
  const run = await yoke(['resume', '--json'], { cwd: project, env })
  return { ...where, file, run, ...journalOf(project) }
}

describe('a session that cannot be resumed', () => {
  it.each<[string, (file: string) => void]>([
    ['deleted', (file) => rmSync(file)],
    ['emptied', (file) => truncateSync(file)],
    ['overwritten', (file) => writeFileSync(file, 'not a session\n')],
    ['renamed', (file) => renameSync(file, `${file}.gone`)],
  ])(
    '%s: the same iteration again in a fresh one, with the whole task, once',
    { timeout: 60_000 },
    async (_what, damage) => {
      const { run, events, server } = await damaged(damage)
      expect(run).toMatchObject({ code: 0, stderr: '' })
      expect(events.filter(({ type }) => type === 'session.stale')).toHaveLength(1)
      expect(events.filter(({ type }) => type === 'iteration.started')).toHaveLength(2)
      expect(
        events
          .filter((event) => event.type === 'agent.finished' && event.role === 'worker')
          .map((event) => 'class' in event && event.class),
      ).toEqual(['ok', 'stale-session', 'ok'])
      const fresh = server.requests.filter(({ role, turn }) => role === 'worker' && turn === 1)[0]
      expect(
        messageTexts(fresh ?? {})
          .map(({ text }) => text)
          .join('\n'),
      ).toContain('Leave two files.')
    },
  )

  it('is put into the folder of the run, never deleted', { timeout: 60_000 }, async () => {
    const { project, id, file } = await damaged((each) => truncateSync(each))
    const session = file.split('/').at(-1)?.replace('.jsonl', '') ?? ''
    expect(existsSync(join(project, '.loop/runs', id, 'backups', `${session}.stale`))).toBe(true)
    expect(existsSync(file)).toBe(false)
  })

  it('is left when the provider rejects its history', { timeout: 60_000 }, async () => {
    const rejected = {
      error: {
        status: 400,
        type: 'invalid_request_error',
        message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      },
    }
    const { project, env } = await place({
      files,
      scenario: { ...scenario, script: { worker: [worker, [{ ...rejected, times: 20 }], worker], judge } },
    })
    const run = await yoke(['brute', 'task.md', '--json'], { cwd: project, env })
    expect(run.code).toBe(0)
    expect(journalOf(project).events.filter(({ type }) => type === 'session.stale')).toHaveLength(1)
  })
})

describe('a limit of the provider', () => {
  const limited = (message: string) => ({
    error: { status: 429, type: 'rate_limit_error', message },
    times: 20,
  })

  it('is waited for until the time that is named, and costs no iteration', { timeout: 60_000 }, async () => {
    const soon = Math.ceil(Date.now() / 1000) + 6
    const { project, env } = await place({
      files,
      scenario: {
        ...scenario,
        script: { worker: [[limited(`Claude AI usage limit reached|${soon}`)], worker, worker], judge },
      },
    })
    const run = await yoke(['brute', 'task.md', '--json'], { cwd: project, env })
    expect(run.code).toBe(0)
    const { events } = journalOf(project)
    expect(events.filter(({ type }) => type === 'wait.started')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'iteration.started')).toHaveLength(2)
  })

  it('ends the run with exit code 3 when it is told to stop', { timeout: 60_000 }, async () => {
    const { project, env } = await place({
      files,
      scenario: { ...scenario, script: { worker: [[limited('slow down')]], judge } },
    })
    expect(await yoke(['brute', 'task.md', '--on-limit', 'stop'], { cwd: project, env })).toMatchObject({
      code: 3,
    })
  })

  it('is a wait that a signal cuts short, and that a resume goes on with', { timeout: 60_000 }, async () => {
    const soon = Math.ceil(Date.now() / 1000) + 12
    const { project, env } = await place({
      files,
      scenario: {
        ...scenario,
        script: { worker: [[limited(`Claude AI usage limit reached|${soon}`)], worker, worker], judge },
      },
    })
    const began = Date.now()
    const stopped = await yoke(['brute', 'task.md', '--json'], {
      cwd: project,
      env,
      onLine: (line, pid) => {
        if (JSON.parse(line).type === 'wait.started') process.kill(pid, 'SIGTERM')
      },
    })
    expect(stopped.code).toBe(143)
    expect(Date.now() - began).toBeLessThan(12_000)
    const resumed = await yoke(['resume', '--json'], { cwd: project, env })
    expect(resumed.code).toBe(0)
    expect(
      eventsOf(resumed)
        .map(({ type }) => type)
        .slice(0, 2),
    ).toEqual(['run.resumed', 'wait.finished'])
    expect(Date.now()).toBeGreaterThan(soon * 1000)
  })
})

describe('what ends a run at once', () => {
  it.each([
    ['an invalid key', 401, 'authentication_error', 'invalid x-api-key', 4],
    ['no credit', 400, 'invalid_request_error', 'Your credit balance is too low to access the API', 4],
  ])('%s: with what to do', { timeout: 60_000 }, async (_what, status, type, message, code) => {
    const { project, env } = await place({
      files,
      scenario: {
        ...scenario,
        script: { worker: [[{ error: { status, type, message }, times: 20 }]], judge },
      },
    })
    const run = await yoke(['brute', 'task.md'], { cwd: project, env })
    expect(run.code).toBe(code)
    expect(run.stdout).toContain('yoke resume')
  })
})

describe('the end of a run', () => {
  it('is told to the on-finish command, as JSON, whatever it ends with', { timeout: 60_000 }, async () => {
    const { project, env } = await place({ files, scenario })
    const run = await yoke(['brute', 'task.md', '--on-finish', 'cat > end.json; exit 3'], {
      cwd: project,
      env,
    })
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('on-finish ended with exit code 3')
    expect(JSON.parse(readFileSync(join(project, 'end.json'), 'utf8'))).toMatchObject({
      type: 'run.finished',
      result: 'done',
    })
  })

  it('is not begun with arguments that yoke sets itself', async () => {
    const { project, env } = await place({ files, scenario })
    const run = await yoke(['brute', 'task.md', '--agent-args=--resume x'], { cwd: project, env })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('E_AGENT_ARGS') })
    expect(existsSync(join(project, '.loop'))).toBe(false)
  })
})

describe('trust', () => {
  it('is asked for once for each place and value', { timeout: 60_000 }, async () => {
    const task = '---\ncheck: true\n---\nLeave two files.\n'
      .replace('check:', 'checks:')
      .replace('true', '"true"')
    const { project, env } = await place({ files: { ...files, 'task.md': task }, scenario })
    const untrusted = await yoke(['brute', 'task.md'], { cwd: project, env })
    expect(untrusted).toMatchObject({ code: 2, stderr: expect.stringContaining('E_UNTRUSTED') })
    expect(existsSync(join(project, '.loop'))).toBe(false)
    expect(
      await yoke(['brute', 'task.md', '--trust', '--max-iterations', '1'], { cwd: project, env }),
    ).toMatchObject({ code: 3 })
    writeFileSync(join(project, 'task.md'), task.replace('"true"', '"false"'))
    expect(await yoke(['brute', 'task.md'], { cwd: project, env })).toMatchObject({ code: 2 })
    writeFileSync(join(project, 'task.md'), task.replace('Leave', 'Please leave'))
    expect(await yoke(['brute', 'task.md', '--max-iterations', '1'], { cwd: project, env })).toMatchObject({
      code: 0,
    })
  })
})

describe('a budget', () => {
  const dear = { usage: { input_tokens: 100_000, output_tokens: 20_000 } }
  it('is handed on to the agent, which stops in the middle of its turn', { timeout: 60_000 }, async () => {
    const turn = worker.map((each) => ({ ...each, ...dear }))
    const { project, env, server } = await place({
      files,
      scenario: { ...scenario, script: { worker: [turn], judge } },
    })
    const flags = ['--max-cost-usd', '1', '--model', 'claude-sonnet-4-5']
    const run = await yoke(['brute', 'task.md', '--json', ...flags], { cwd: project, env })
    expect(run.code).toBe(3)
    expect(eventsOf(run).at(-1)).toMatchObject({ type: 'run.finished', result: 'limit' })
    // Each answer costs 0.60: the second one passes the budget, and nothing comes after it.
    expect(server.requests.filter(({ role }) => role === 'worker')).toHaveLength(2)
  })
})

describe('text of a model, a file or a tool', () => {
  it('has no power over the terminal, and is never run', { timeout: 60_000 }, async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2Jpwned $(touch ran1) `touch ran2`; touch ran3'
    const { project, env } = await place({
      files: { ...files, 'task.md': `Leave two files. $(touch ran4) \`touch ran5\`\n` },
      scenario: {
        ...scenario,
        script: {
          worker: [[reply(say(evil)), ...worker.slice(1)], worker],
          judge: [[reply(verdict('continue', evil)), reply(say('no'))], judge[1]],
        },
      },
    })
    const run = await yoke(['brute', 'task.md'], { cwd: project, env: { ...env, FORCE_COLOR: '0' } })
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('pwned')
    expect(run.stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/)
    expect(readdirSync(project).filter((name) => name.startsWith('ran'))).toEqual([])
  })
})

const mayMount = process.platform === 'linux' && process.getuid?.() === 0

describe.skipIf(!mayMount)('a full disk', () => {
  it('ends the run in one sentence; with room again it goes on', { timeout: 60_000 }, async () => {
    const { project, env } = await place({ files, scenario })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', project])
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
      writeFileSync(join(project, 'ballast'), Buffer.alloc(170 * 1024))
      const full = await yoke(['brute', 'task.md'], { cwd: project, env })
      expect(full.code).not.toBe(0)
      expect(full.stderr).not.toContain('bug in yoke')
      expect(full.stderr).toMatch(/disk is full|ENOSPC/)
      rmSync(join(project, 'ballast'))
      execFileSync('mount', ['-o', 'remount,size=64m', project])
      const went =
        existsSync(join(project, '.loop/runs')) && readdirSync(join(project, '.loop/runs')).length > 0
      const again = await yoke(went ? ['resume'] : ['brute', 'task.md'], { cwd: project, env })
      expect(again.code).toBe(0)
    } finally {
      execFileSync('umount', [project])
    }
  })
})
