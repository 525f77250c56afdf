import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJournal } from '../../src/run/journal.ts'
import { claudePath } from '../helpers/claude.ts'
import { dockerIsPossible, startDocker, testImage } from '../helpers/docker.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { notes, place, read, reply, roles, say, verdict, write } from './project.ts'

const scenario = {
  name: 'in a container',
  repeat: true,
  roles,
  script: {
    worker: [
      [
        reply(read('a.txt')),
        reply(write('step-{{turn}}', 'x')),
        reply(notes('KEEP: a.txt\n')),
        reply(say('Went on.')),
      ],
    ],
    judge: [[reply(read('a.txt')), reply(verdict('done', 'Enough.')), reply(say('yes'))]],
  },
}
const files = {
  'task.md': '---\nchecks: test "$(ls step-* | wc -l)" -ge 2\n---\nLeave two files.\n',
  'a.txt': 'kept\n',
}

describe.skipIf(!dockerIsPossible)('yoke in containers of a real Docker engine', () => {
  let engine: Awaited<ReturnType<typeof startDocker>>
  const claude = () => realpathSync(claudePath())
  beforeAll(async () => {
    engine = await startDocker(claude())
  }, 120_000)
  afterAll(() => engine?.stop(), 60_000)

  const start = async () => {
    const where = await place({ files, scenario })
    return { ...where, env: { ...where.env, DOCKER_HOST: engine.host } }
  }
  const flags = () => [
    '--trust',
    '--json',
    '--image',
    testImage,
    '--network',
    'host',
    '--mounts',
    `${claude()}:/usr/local/bin/claude:ro`,
  ]
  const containers = () => engine.docker('ps', '--all', '--quiet').trim()

  it('carries a whole run: a new container each time, one session, trimmed on the host', {
    timeout: 120_000,
  }, async () => {
    const { project, home, env, server } = await start()
    const run = await yoke(
      ['brute', 'task.md', ...flags(), '--read-only-root', 'on', '--pids-limit', '200', '--memory', '1g'],
      {
        cwd: project,
        env: { ...env, ANTHROPIC_API_KEY: 'sk-secret-dummy' },
      },
    )
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    const events = eventsOf(run)
    expect(events.filter(({ type }) => type === 'trim.applied')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', result: 'done', iterations: 2 })
    const sessions = execFileSync('find', [
      join(project, '.loop/agent-home'),
      '-name',
      '*.jsonl',
      '-path',
      '*projects*',
    ])
      .toString()
      .trim()
      .split('\n')
    expect(sessions).toHaveLength(1)
    expect(statSync(sessions[0] ?? '').uid).toBe(process.getuid?.())
    expect(existsSync(join(home, '.claude', 'projects'))).toBe(false)
    expect(containers()).toBe('')
    // The key went in by its name only.
    expect(server.requests.filter(({ role }) => role === 'worker').length).toBeGreaterThan(6)
    const [id = ''] = readdirSync(join(project, '.loop/runs'))
    expect(readFileSync(join(project, '.loop/runs', id, 'events.jsonl'), 'utf8')).not.toContain(
      'sk-secret-dummy',
    )
    expect(run.stdout).not.toContain('sk-secret-dummy')
  })

  it('goes on after kill -9, without the container that was left behind', { timeout: 120_000 }, async () => {
    const { project, env } = await start()
    const killed = await yoke(['brute', 'task.md', ...flags()], {
      cwd: project,
      env,
      onLine: (line, pid) => {
        if (JSON.parse(line).type === 'session.opened') process.kill(pid, 'SIGKILL')
      },
    })
    expect(killed.code).toBe(null)
    const resumed = await yoke(['resume', '--json'], { cwd: project, env })
    expect(resumed).toMatchObject({ code: 0, stderr: '' })
    expect(containers()).toBe('')
    const [id = ''] = readdirSync(join(project, '.loop/runs'))
    const events = readJournal(join(project, '.loop/runs', id, 'events.jsonl'))
    expect(events.filter((event) => event.type === 'session.opened' && event.role === 'worker')).toHaveLength(
      1,
    )
  })

  it('leaves no container behind when it is stopped at once', { timeout: 120_000 }, async () => {
    const { project, env } = await start()
    let signals = 0
    const run = await yoke(['brute', 'task.md', ...flags()], {
      cwd: project,
      env,
      onLine: (line, pid) => {
        if (JSON.parse(line).type !== 'session.opened' || signals++ > 0) return
        process.kill(pid, 'SIGINT')
        setTimeout(() => process.kill(pid, 'SIGINT'), 50)
      },
    })
    expect(run.code).toBe(130)
    expect(containers()).toBe('')
  })

  it.each([
    [
      'a missing image, with the command that gets it',
      ['--image', 'no-such-image'],
      'E_NO_IMAGE',
      'pull no-such-image',
      1,
    ],
    [
      'a mount that is not there',
      ['--image', testImage, '--mounts', '/no/such/folder'],
      'E_MOUNT',
      'mounts',
      2,
    ],
  ])('refuses %s', { timeout: 60_000 }, async (_what, more, code, words, exit) => {
    const { project, env } = await start()
    const run = await yoke(['brute', 'task.md', '--trust', ...more], { cwd: project, env })
    expect(run).toMatchObject({ code: exit, stderr: expect.stringContaining(`[${code}]`) })
    expect(run.stderr).toContain(words)
  })

  it('says that an image has no agent', { timeout: 60_000 }, async () => {
    const { project, env } = await start()
    const run = await yoke(['brute', 'task.md', '--trust', '--image', testImage], { cwd: project, env })
    expect(run.code).toBe(4)
    expect(run.stdout).toContain('claude')
  })

  it('says that the engine does not answer', { timeout: 60_000 }, async () => {
    const { project, env } = await start()
    const down = { ...env, DOCKER_HOST: 'unix:///no/such/socket' }
    const run = await yoke(['brute', 'task.md', '--trust', '--image', testImage, '--engine', 'docker'], {
      cwd: project,
      env: down,
    })
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('E_ENGINE_DOWN') })
    expect(existsSync(join(project, '.loop'))).toBe(false)
  })
})
