import { existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claude } from '../../src/agents/claude/claude.ts'
import { ensureRelease } from '../../src/probe/pinned-cli.ts'
import { cache } from '../helpers/claude.ts'
import { yoke } from '../helpers/yoke.ts'
import { journalOf, of, place, roles, runOf, twoTurns } from './project.ts'

const { files, worker, judge } = twoTurns()
const scenario = { name: 'stale', roles, script: { worker: [worker, worker, worker], judge } }

/** One iteration, after which the run was stopped, and the session that it left. */
const stoppedRun = async (script: object = scenario.script) => {
  const where = await place({ files, scenario: { ...scenario, script } })
  const { project, env } = where
  const stopped = await yoke(['brute', 'task.md', '--json'], {
    cwd: project,
    env,
    onLine: (line, pid) => {
      if (JSON.parse(line).type === 'session.opened') process.kill(pid, 'SIGINT')
    },
  })
  expect(stopped.code).toBe(130)
  const session = of(journalOf(project), 'session.opened')[0]?.session ?? ''
  const file = (await claude.findSession(session, project, env)) ?? ''
  return { ...where, session, file }
}

const reject = (message: string) => ({
  error: { status: 400, type: 'invalid_request_error', message },
  times: 40,
})

describe('a session that was damaged between two iterations', () => {
  it.each([0.3, 0.7, 0.99])(
    'cut off at %d of its length: the run gets to its end, and nothing of the file is lost',
    { timeout: 60_000 },
    async (share) => {
      const { project, env, file, session } = await stoppedRun()
      truncateSync(file, Math.floor(readFileSync(file).length * share))
      expect(await yoke(['resume', '--json'], { cwd: project, env })).toMatchObject({ code: 0, stderr: '' })
      const events = journalOf(project)
      expect(of(events, 'iteration.started').map(({ iteration }) => iteration)).toEqual([1, 2])
      const isStale = of(events, 'session.stale').length === 1
      expect(existsSync(join(runOf(project), 'backups', `${session}.stale`))).toBe(isStale)
      expect(existsSync(file)).toBe(!isStale)
    },
  )
})

describe('a session that has lost its beginning, with which Claude Code would go on', () => {
  it('is left for a fresh one with the whole task', { timeout: 60_000 }, async () => {
    const { project, env, file, session, server } = await stoppedRun()
    const lines = readFileSync(file, 'utf8').split('\n')
    const answer = lines.findIndex((line) => line.includes('"type":"assistant"'))
    writeFileSync(file, lines.slice(answer).join('\n'))
    expect(await yoke(['resume', '--json'], { cwd: project, env })).toMatchObject({ code: 0, stderr: '' })
    const events = journalOf(project)
    const reason = `The session file ${file} has lost the prompt that it began with`
    expect(of(events, 'session.stale')).toMatchObject([{ session, reason }])
    expect(of(events, 'agent.finished').every((each) => each.class === 'ok')).toBe(true)
    expect(existsSync(join(runOf(project), 'backups', `${session}.stale`))).toBe(true)
    const second = server.requests.find(({ role, turn }) => role === 'worker' && turn === 1)
    expect(JSON.stringify(second?.body)).toContain('Leave two files.')
  })
})

describe('a project that was moved', () => {
  it('goes on, with a session of its own', { timeout: 60_000 }, async () => {
    const { project, env } = await stoppedRun()
    const moved = `${project}-moved`
    renameSync(project, moved)
    // The model still names the old path; what it writes there is its own affair.
    await mkdir(project)
    expect(await yoke(['resume', '--json'], { cwd: moved, env })).toMatchObject({ code: 0, stderr: '' })
    expect(of(journalOf(moved), 'iteration.started').map(({ iteration }) => iteration)).toEqual([1, 2])
  })
})

describe('a history that the provider rejects', () => {
  it.each([
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
  ])('%s: once a fresh session, the second time the end', { timeout: 60_000 }, async (message) => {
    const rejected = [reject(message)]
    const { project, env, session, file } = await stoppedRun({
      worker: [worker, rejected, rejected, rejected, rejected],
      judge,
    })
    const run = await yoke(['resume'], { cwd: project, env })
    expect(run.code).toBe(5)
    expect(run.stdout).toContain('and then a fresh one')
    const events = journalOf(project)
    expect(of(events, 'iteration.started').map(({ iteration }) => iteration)).toEqual([1, 2])
    expect(of(events, 'session.stale')).toMatchObject([{ session }])
    expect(existsSync(file)).toBe(false)
    expect(existsSync(join(runOf(project), 'backups', `${session}.stale`))).toBe(true)
    const sessions = JSON.parse(readFileSync(join(runOf(project), 'sessions.json'), 'utf8'))
    expect(sessions.worker[0]).toMatchObject({ id: session, stale: expect.any(String) })
  })
})

/** Each is up to 400 MB. */
const old = ['2.1.200', '2.1.20', '1.0.128']

describe.skipIf(!process.env['YOKE_NIGHTLY'])('a CLI that was downgraded between two iterations', () => {
  it.each(old)('to %s: the run gets to its end', { timeout: 300_000 }, async (version) => {
    const program = await ensureRelease('claude', version, cache)
    const { project, env, home, session } = await stoppedRun()
    const bin = join(home, 'old-bin')
    await mkdir(bin)
    await symlink(program, join(bin, 'claude'))
    await chmod(bin, 0o755)
    const run = await yoke(['resume', '--json'], {
      cwd: project,
      env: { ...env, PATH: `${bin}:${dirname(process.execPath)}:${env.PATH}` },
    })
    expect(run).toMatchObject({ code: 0 })
    const events = journalOf(project)
    expect(of(events, 'iteration.started').map(({ iteration }) => iteration)).toEqual([1, 2])
    for (const stale of of(events, 'session.stale')) expect(stale.session).toBe(session)
  })
})
