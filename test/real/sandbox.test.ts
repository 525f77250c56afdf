import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJournal } from '../../src/run/journal.ts'
import {
  bareImage,
  dockerIsPossible,
  emptyImage,
  startDocker,
  type TestEngine,
  testImage,
} from '../helpers/engines.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { notes, read, reply, roles, say, verdict, write } from './project.ts'
import {
  bash,
  claude,
  containers,
  flags,
  scenario,
  start,
  startWorktree,
  watchCommandLines,
} from './sandbox-place.ts'

/** What a process in the container sees of its limits, in both versions of control groups. */
const look = [
  'grep -E "^(CapEff|NoNewPrivs|Uid)" /proc/self/status',
  'echo memory $(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes)',
  'echo pids $(cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max)',
  'echo cpus $(cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us)',
  'touch /usr/x || echo read-only',
  'ls -d /root/.ssh /home /usr/sbin/dockerd || echo alone',
  'git -c user.name=a -c user.email=a@b.c commit --quiet --allow-empty -m inside; git log --format=%s',
]

describe.skipIf(!dockerIsPossible)('yoke in containers of a real Docker engine', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startDocker([claude()])
  }, 120_000)
  afterAll(() => engine?.stop(), 60_000)

  it('carries a whole run: a new container each time, one session, trimmed on the host, within limits', {
    timeout: 180_000,
  }, async () => {
    const command = `{ ${look.join('; ')}; } > look.txt 2>/dev/null`
    const { project, home, env, server, git } = await startWorktree(engine, scenario(bash(command)))
    const key = 'sk-planted-dummy'
    const keys = watchCommandLines(key)
    const named = watchCommandLines('--env ANTHROPIC_API_KEY')
    const limits = ['--read-only-root', 'on', '--pids-limit', '200', '--memory', '1g', '--cpus', '1.5']
    const run = await yoke(
      ['brute', 'task.md', ...flags(), ...limits, '--allowed-tools', 'Bash', '--env', 'MINE=of my own'],
      { cwd: project, env: { ...env, ANTHROPIC_API_KEY: key } },
    )
    const [withKey, withName] = [keys(), named()]
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const events = eventsOf(run)
    expect(events.filter(({ type }) => type === 'trim.applied')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', result: 'done', iterations: 2 })
    // The first check failed, so that it ran in the image and saw what the worker had left.
    expect(events.filter(({ type }) => type === 'check.failed')).toHaveLength(1)

    const found = execFileSync('find', [join(project, '.loop/agent-home/projects'), '-name', '*.jsonl'])
    const sessions = found.toString().trim().split('\n')
    expect(sessions).toHaveLength(1)
    expect(statSync(sessions[0] ?? '').uid).toBe(process.getuid?.())
    expect(existsSync(join(home, '.claude', 'projects'))).toBe(false)
    expect(containers(engine)).toBe('')
    expect(server.requests.filter(({ role }) => role === 'worker').length).toBeGreaterThan(8)

    const seen = readFileSync(join(project, 'look.txt'), 'utf8')
    expect(seen).toMatch(/CapEff:\s0{16}\n/)
    expect(seen).toMatch(/NoNewPrivs:\s1\n/)
    expect(seen).toContain('memory 1073741824\n')
    expect(seen).toContain('pids 200\n')
    expect(seen).toMatch(/cpus 150000/)
    expect(seen).toContain('read-only\n')
    expect(seen).toContain('alone\n')
    expect(seen).toContain('inside\noutside\n')
    // Both turns were committed in the repository beside the project.
    expect(git('log', '--format=%s', 'work').trim().split('\n')).toEqual(['inside', 'inside', 'outside'])

    // The key went in by its name only.
    expect(withName.length).toBeGreaterThan(0)
    expect(withKey).toEqual([])
    expect(spawnSync('grep', ['-r', key, join(project, '.loop')], { encoding: 'utf8' }).stdout).toBe('')
    expect(run.stdout).not.toContain(key)
  })

  it('carries a saga there, with its scoper and its periodics', { timeout: 120_000 }, async () => {
    const looks = bash('test ! -e /usr/bin/unshare && echo in > docs-{{turn}}')
    const { project, env, server } = await start(engine, {
      name: 'a saga in a container',
      roles: [
        { name: 'scoper', match: 'You are the scoper of' },
        { name: 'docs', match: 'You are called as "docs"' },
        ...roles,
      ],
      script: {
        scoper: [
          [reply(read('a.txt')), reply({ answer: planned('plan', 'Leave a file.') }), reply(say('Planned.'))],
          [reply({ answer: planned('done', 'It is there.') }), reply(say('Planned.'))],
        ],
        worker: [[reply(write('step', 'x')), reply(notes('KEEP: none\n')), reply(say('Now.'))]],
        docs: [[reply(looks), reply(say('Docs.'))]],
        judge: [[reply(verdict('done', 'A file.')), reply(say('yes'))]],
      },
    })
    await writeFile(
      join(project, 'goal.md'),
      '---\nperiodics: [{ name: docs, every: 1, prompt: DOCS }]\n---\nLeave a file.\n',
    )
    // No agent is on this machine.
    const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    const run = await yoke(['saga', 'goal.md', ...flags(), '--allowed-tools', 'Bash'], {
      cwd: project,
      env: { ...env, PATH },
    })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const ended = eventsOf(run).filter((event) => event.type === 'agent.finished')
    expect(ended.map(({ role, class: kind }) => `${role} ${kind}`)).toEqual([
      ...['scoper ok', 'worker ok', 'judge ok', 'periodic:docs ok', 'scoper ok'],
    ])
    expect(readFileSync(join(project, 'docs-1'), 'utf8')).toBe('in\n')
    expect(readFileSync(join(project, '.loop/saga-log.md'), 'utf8')).toContain('Leave a file.')
    // Of all of them only the worker's session is stored.
    const stored = execFileSync('find', [join(project, '.loop/agent-home/projects'), '-name', '*.jsonl'])
    expect(stored.toString().trim().split('\n')).toHaveLength(1)
    expect(new Set(server.requests.map(({ role }) => role))).toContain('scoper')
    expect(containers(engine)).toBe('')
  })

  it('goes on after kill -9, without the container that was left behind', { timeout: 120_000 }, async () => {
    const { project, env } = await start(engine)
    const killed = await yoke(['brute', 'task.md', ...flags()], {
      cwd: project,
      env,
      onLine: (line, pid) => {
        if (JSON.parse(line).type === 'session.opened') process.kill(pid, 'SIGKILL')
      },
    })
    expect(killed.code).toBe(null)
    const left = ['--label', `yoke.project=${project}`, '--name', 'left-behind', '--network', 'none']
    engine.ask('run', '--detach', ...left, '--entrypoint', 'sleep', bareImage, '60')
    expect((await doctor({ cwd: project, env })).get('leftovers')).toMatchObject({
      status: 'warn',
      found: expect.stringContaining('left-behind'),
    })
    const resumed = await yoke(['resume', '--json'], { cwd: project, env })
    expect(resumed).toMatchObject({ code: 0, stderr: '' })
    expect(containers(engine)).toBe('')
    const [id = ''] = readdirSync(join(project, '.loop/runs'))
    const events = readJournal(join(project, '.loop/runs', id, 'events.jsonl'))
    expect(events.filter((event) => event.type === 'session.opened' && event.role === 'worker')).toHaveLength(
      1,
    )
  })

  it('leaves no container behind when it is stopped at once', { timeout: 120_000 }, async () => {
    const { project, env } = await start(engine)
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
    expect(containers(engine)).toBe('')
  })

  it('refuses what would keep the agent from working, before anything is written', {
    timeout: 120_000,
  }, async () => {
    const { project, env } = await start(engine)
    const image = (name: string) => ['--image', name]
    const withAgent = (name: string) => [...flags(), ...image(name)]
    const cases: readonly [string, readonly string[], number, string, string, Record<string, string>?][] = [
      ['a missing image', image('no-such'), 1, 'E_NO_IMAGE', 'docker pull no-such'],
      [
        'one that cannot be fetched',
        [...image('localhost:1/none'), '--pull', 'missing'],
        1,
        'E_NO_IMAGE',
        'cannot be fetched',
      ],
      ['a missing mount', [...image(testImage), '--mounts', '/no/such'], 2, 'E_MOUNT', 'nothing at /no/such'],
      ['an image without the agent', image(testImage), 4, 'E_IMAGE', 'has no `claude` on its PATH'],
      ['one without its shells', withAgent(bareImage), 4, 'E_IMAGE', 'has no bash or zsh'],
      ['one without any shell', withAgent(emptyImage), 4, 'E_IMAGE', 'has no bash or zsh'],
      ['an unknown network', [...flags(), '--network', 'no-such-net'], 4, 'E_CONTAINER', 'no-such-net'],
      ['a wrong size', [...flags(), '--memory', 'lots'], 4, 'E_CONTAINER', 'lots'],
      [
        'an engine that is down',
        image(testImage),
        1,
        'E_ENGINE_DOWN',
        'does not answer',
        { DOCKER_HOST: 'unix:///no/such' },
      ],
      [
        'an engine of another machine',
        image(testImage),
        4,
        'E_ENGINE_REMOTE',
        'ssh://build.example',
        { DOCKER_HOST: 'ssh://me@build.example' },
      ],
      [
        'no engine',
        [...image(testImage), '--engine', 'docker'],
        1,
        'E_NO_ENGINE',
        'not on PATH',
        { PATH: '/no/such' },
      ],
      [
        'a socket of others',
        image(testImage),
        1,
        'E_ENGINE_DENIED',
        'group `docker`',
        { PATH: `${await asNobody()}:${env.PATH}` },
      ],
    ]
    for (const [what, more, code, name, words, change] of cases) {
      const run = await yoke(['brute', 'task.md', '--trust', '--engine', 'docker', ...more], {
        cwd: project,
        env: { ...env, ...change },
      })
      expect.soft({ what, ...run }).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringContaining(`[${name}]`),
      })
      expect.soft(run.stderr).toContain(words)
      expect.soft(run.stderr.trim().split('\n').length, run.stderr).toBeLessThan(5)
    }
    expect(existsSync(join(project, '.loop'))).toBe(false)
    expect(containers(engine)).toBe('')
  })

  it('removes the container of an agent that does not end when its time is up', {
    timeout: 60_000,
  }, async () => {
    const { project, env } = await start(engine)
    const agent = join(project, 'deaf')
    await writeFile(
      agent,
      '#!/bin/sh\n[ "$1" = --version ] && exit\ntrap "" TERM\nwhile :; do sleep 1; echo x >> beats; done\n',
    )
    await chmod(agent, 0o755)
    const run = await yoke(
      ['brute', 'task.md', ...flags(agent), '--iteration-timeout', '2s', '--max-iterations', '1'],
      { cwd: project, env },
    )
    expect(run.stdout).toContain('"class":"timeout"')
    expect(containers(engine)).toBe('')
  })

  it('rehearses in the image, and shows what a run would start there', { timeout: 60_000 }, async () => {
    const { project, home, env } = await start(engine)
    await homeWithAgents(join(home, '.config'))
    const at = { cwd: project, env }
    const rows = await doctor(at, '--probe', '--image', testImage)
    expect(rows.get('containers')).toMatchObject({
      status: 'ok',
      found: expect.stringMatching(/^docker \d.* claude 2\.\d/),
    })
    expect(rows.get('leftovers')).toMatchObject({ status: 'ok' })
    expect(rows.get('probe')).toMatchObject({ status: 'ok' })
    const planned = await yoke(['brute', 'task.md', '--dry-run', '--image', testImage], at)
    expect(planned.stdout).toMatch(/\/docker run --rm .* --entrypoint claude yoke-test --print/)
    // Its image needs the agents of all roles.
    const judged = { ...at, env: { ...env, XDG_CONFIG_HOME: join(home, 'judged') } }
    await homeWithAgents(judged.env.XDG_CONFIG_HOME, 'judge-agent: opencode\n')
    expect((await doctor(judged, '--image', testImage)).get('containers')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('has no `opencode` on its PATH'),
    })
    const bad = await doctor(at, '--probe', '--image', bareImage)
    expect(bad.get('containers')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('no bash or zsh'),
    })
    expect(bad.get('probe')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('no bash or zsh'),
    })
    expect(readdirSync(project)).not.toContain('.loop')
    expect(containers(engine)).toBe('')
  })

  it('starts nothing in an image that only the project names', { timeout: 60_000 }, async () => {
    const { project, env } = await start(engine)
    await mkdir(join(project, '.loop'))
    await writeFile(join(project, 'evil'), '#!/bin/sh\ntouch ran\n')
    await chmod(join(project, 'evil'), 0o755)
    await writeFile(
      join(project, '.loop/config.yaml'),
      `image: ${testImage}\nmounts:\n  - ./evil:/usr/local/bin/claude\n`,
    )
    const run = await yoke(['doctor', '--probe'], { cwd: project, env })
    expect(run.stdout).toMatch(/^ok +containers +docker .* with the image yoke-test\.$/m)
    expect(run.stdout).toMatch(/^skip +probe +Nothing was started in the image yoke-test/m)
    expect(existsSync(join(project, 'ran'))).toBe(false)
  })

  it('says so when the session cannot be stored', { timeout: 60_000 }, async () => {
    const { project, env } = await start(engine)
    await mkdir(join(project, '.loop/agent-home'), { recursive: true })
    await mkdir(join(project, '.loop/agent-home/projects'), { mode: 0o500 })
    const run = await yoke(['brute', 'task.md', ...flags(), '--max-iterations', '1'], { cwd: project, env })
    expect(run.stdout).toContain('"class":"no-transcript"')
  })
})

const planned = (status: 'plan' | 'done', title: string) => ({ status, title, plan: title, handoff: 'fresh' })

/** The rows of `yoke doctor`, by id. */
const doctor = async (at: Parameters<typeof yoke>[1], ...args: readonly string[]) => {
  const { stdout } = await yoke(['doctor', '--json', ...args], at)
  const { rows } = JSON.parse(stdout) as { rows: { id: string; status: string; found: string }[] }
  return new Map(rows.map((row) => [row.id, row]))
}

/** A folder of configurations with one that mounts the agent of the host. */
const homeWithAgents = async (folder: string, more = ''): Promise<void> => {
  await mkdir(join(folder, 'yoke'), { recursive: true })
  const mounts = `mounts:\n  - ${claude()}:/usr/local/bin/claude:ro\n`
  await writeFile(join(folder, 'yoke', 'config.yaml'), `${mounts}${more}`)
}

/** A folder with a `docker` that may not talk to the engine. */
const asNobody = async (): Promise<string> => {
  const folder = await temporaryFolder()
  const client = execFileSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).trim()
  await writeFile(
    join(folder, 'docker'),
    `#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups "${client}" "$@"\n`,
  )
  await chmod(join(folder, 'docker'), 0o755)
  return folder
}
