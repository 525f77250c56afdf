import { execFileSync } from 'node:child_process'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { toolUses } from '../../src/probe/request-view.ts'
import {
  dockerIsPossible,
  importNodeImage,
  ordinaryUser,
  podmanIsPossible,
  rootlessIsPossible,
  startDocker,
  startPodman,
  startRootlessPodman,
  type TestEngine,
  testImage,
} from '../helpers/engines.ts'
import { opencodePath } from '../helpers/opencode.ts'
import { eventsOf, type YokeRun, yoke } from '../helpers/yoke.ts'
import { journalOf, reply, say } from './project.ts'
import { bash, claude, containers, flags, scenario, start, startWorktree } from './sandbox-place.ts'

const isNight = process.env['YOKE_NIGHTLY'] === '1'

const of = <T extends RunEvent['type']>(events: readonly object[], type: T) =>
  events.filter((event): event is RunEvent & { type: T } => 'type' in event && event.type === type)

describe.skipIf(!isNight || !podmanIsPossible)('yoke in containers of a real Podman', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startPodman([claude(), opencode()])
  }, 120_000)
  afterAll(() => engine?.stop(), 60_000)

  it('carries a whole run of a worktree, within limits', { timeout: 240_000 }, async () => {
    const look = 'grep CapEff /proc/self/status > look.txt; git log --format=%s >> look.txt'
    const { project, env } = await startWorktree(engine, scenario(bash(look)))
    const run = await yoke(
      [
        ...['brute', 'task.md', ...flags(), '--engine', 'podman', '--allowed-tools', 'Bash'],
        ...['--read-only-root', 'on', '--memory', '1g', '--cpus', '1.5', '--pids-limit', '200'],
      ],
      { cwd: project, env },
    )
    expectWholeRun(run, engine)
    const found = execFileSync('find', [join(project, '.loop/agent-home/projects'), '-name', '*.jsonl'])
    const [session = '', ...more] = found.toString().trim().split('\n')
    expect(more).toEqual([])
    expect(statSync(session).uid).toBe(process.getuid?.())
    expect(execFileSync('cat', [join(project, 'look.txt')], { encoding: 'utf8' })).toMatch(
      /CapEff:\s0{16}\noutside\n/,
    )
  })

  it('carries a whole run of OpenCode', { timeout: 600_000 }, async () => {
    const { project, env } = await start(engine, opencodeScenario)
    const run = await yoke(['brute', 'task.md', ...opencodeFlags(), '--engine', 'podman'], {
      cwd: project,
      env,
    })
    expectWholeRun(run, engine)
  })

  it('refuses an image that is not there or lacks the agent', { timeout: 60_000 }, async () => {
    const { project, env } = await start(engine)
    for (const [more, code, words] of [
      [['--image', 'no-such'], 1, 'podman pull no-such'],
      [flags().slice(0, 6), 4, 'has no `claude` on its PATH'],
      [[...flags(), '--network', 'no-such-net'], 4, 'no-such-net'],
    ] as const) {
      const run = await yoke(['brute', 'task.md', '--trust', '--engine', 'podman', ...more], {
        cwd: project,
        env,
      })
      expect.soft(run).toMatchObject({ code, stderr: expect.stringContaining(words) })
    }
    expect(containers(engine)).toBe('')
  })

  it('says so when the disk of the agent is full', { timeout: 120_000 }, async () => {
    const { project, env } = await start(engine)
    const home = join(project, '.loop/agent-home')
    await mkdir(home, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', home])
    try {
      const run = await yoke(
        ['brute', 'task.md', ...flags(), '--engine', 'podman', '--max-iterations', '1'],
        { cwd: project, env },
      )
      expect(run.code).toBeGreaterThan(0)
      expect(of(eventsOf(run), 'agent.finished')).toMatchObject([
        { class: 'no-transcript', evidence: expect.stringContaining('the disk is full (ENOSPC)') },
      ])
      expect(run.stdout).not.toContain('"type":"trim.applied"')
      expect(run.stderr).not.toContain('    at ')
    } finally {
      execFileSync('umount', [home])
    }
  })
})

describe.skipIf(!isNight || !rootlessIsPossible)('yoke of a user that is not root', () => {
  it.each([
    ['Claude Code', claude, undefined, flags],
    ['OpenCode', opencode, opencodeScenario, opencodeFlags],
  ])(
    "carries a whole run of %s in containers of rootless Podman, and all that is written is the user's",
    {
      timeout: 600_000,
    },
    async (_, program, script, options) => {
      const engine = await startRootlessPodman([program()])
      onTestFinished(engine.stop)
      const { project, env } = await start(engine, script)
      execFileSync('chown', ['-R', `${ordinaryUser}:${ordinaryUser}`, dirname(project)])
      const at = { cwd: project, env, as: engine.as }
      expect((await yoke(['doctor'], at)).stdout).toMatch(/^ok +containers +podman \d\S* rootless\.$/m)
      expectWholeRun(await yoke(['brute', 'task.md', ...options(), '--engine', 'podman'], at), engine)
      expect(ownersIn(project)).toEqual([ordinaryUser])
    },
  )
})

describe.skipIf(!isNight || !dockerIsPossible)('yoke in containers of Docker at night', () => {
  it('carries a whole run where users are remapped', { timeout: 240_000 }, async () => {
    const engine = await startDocker([claude()], { remapped: true })
    onTestFinished(engine.stop)
    const { project, env } = await start(engine)
    const at = { cwd: project, env }
    expect((await yoke(['doctor'], at)).stdout).toMatch(/^ok +containers +docker .* with remapped users\.$/m)
    expectWholeRun(await yoke(['brute', 'task.md', ...flags()], at), engine)
    expect(ownersIn(project)).toEqual([process.getuid?.()])
  })

  it('carries a whole run in an image of the Dockerfile of the README', { timeout: 600_000 }, async () => {
    const engine = await startDocker([claude()])
    onTestFinished(engine.stop)
    importNodeImage(engine, 'node:22', [claude()])
    const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
    const dockerfile = /```dockerfile\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
    const { project, env } = await start(engine)
    await writeFile(join(project, 'Dockerfile'), dockerfile)
    engine.ask('build', '--network', 'host', '-t', 'my-agent', project)
    const run = await yoke(
      ['brute', 'task.md', '--trust', '--json', '--image', 'my-agent', '--network', 'host'],
      { cwd: project, env },
    )
    expectWholeRun(run, engine)
  })

  it('carries a whole run of OpenCode, and rehearses with it', { timeout: 900_000 }, async () => {
    const engine = await startDocker([opencode()])
    onTestFinished(engine.stop)
    const { project, home, server, env } = await start(engine, opencodeScenario)
    const run = await yoke(['brute', 'task.md', ...opencodeFlags()], { cwd: project, env })
    expectWholeRun(run, engine)
    // What the second turn begins with is trimmed to the read of the file that is kept.
    const second = server.requests.find(({ role, turn }) => role === 'worker' && turn === 1)
    expect(second && toolUses(second).map(({ name }) => name)).toEqual(['read'])
    expect(ownersIn(project)).toEqual([process.getuid?.()])

    const config = join(home, '.config', 'yoke')
    await mkdir(config, { recursive: true })
    await writeFile(join(config, 'config.yaml'), `mounts: ["${opencode()}:/usr/local/bin/opencode:ro"]\n`)
    const probe = await yoke(['doctor', '--probe', '--agent', 'opencode', '--image', testImage], {
      cwd: project,
      env,
    })
    expect(probe.stdout).toMatch(/^ok +probe +Rehearsed \S+ in .*: run, resume and trim work\.$/m)
    expect(containers(engine)).toBe('')
  })

  it('goes on after kill -9 with OpenCode, judged by Claude Code, without the container that was left', {
    timeout: 900_000,
  }, async () => {
    const engine = await startDocker([opencode(), claude()])
    onTestFinished(engine.stop)
    const { judge } = scenario().script
    const { project, server, env } = await start(engine, {
      ...opencodeScenario,
      script: { ...opencodeScenario.script, judge },
    })
    const mixed = [...opencodeFlags(), '--judge-agent', 'claude']
    let killed = false
    const at = { cwd: project, env }
    const first = await yoke(
      ['brute', 'task.md', ...mixed, '--mounts', `${claude()}:/usr/local/bin/claude:ro`],
      {
        ...at,
        onLine: (line, pid) => {
          if (killed || JSON.parse(line).type !== 'agent.tool') return
          killed = true
          process.kill(pid, 'SIGKILL')
        },
      },
    )
    expect(first.code).toBe(null)
    expect(containers(engine)).not.toBe('')
    expect(await yoke(['resume', '--json'], at)).toMatchObject({ code: 0, stderr: '' })
    expect(containers(engine)).toBe('')
    const events = journalOf(project)
    expect(of(events, 'agent.lost')).toHaveLength(1)
    expect(of(events, 'session.stale')).toEqual([])
    const ended = of(events, 'agent.finished').map(({ role, class: kind }) => `${role} ${kind}`)
    expect(new Set(ended)).toEqual(new Set(['worker ok', 'judge ok']))
    const offered = (role: string) =>
      JSON.stringify(server.requests.filter((each) => each.role === role).map(({ body }) => body))
    expect(offered('judge')).toContain('"name":"Read"')
    expect(offered('worker')).toContain('"name":"read"')
    // OpenCode's store is in the project, one database with one session: the trims have taken away the others.
    expect(existsSync(join(project, '.loop/agent-home/data/opencode/opencode.db'))).toBe(true)
    expect(ownersIn(project)).toEqual([process.getuid?.()])
  })
})

const opencode = (): string => realpathSync(opencodePath())

/** Of a run with OpenCode for all roles. */
const opencodeFlags = () => [
  ...flags(opencode(), 'opencode'),
  ...['--agent', 'opencode', '--model', 'anthropic/claude-sonnet-4-5'],
]

const opencodeTool = (tool: string, input: object) => reply({ tool, input })

/** Each turn leaves a file. */
const opencodeScenario = {
  ...scenario(),
  script: {
    worker: [
      [
        opencodeTool('read', { filePath: '{{cwd}}/a.txt' }),
        opencodeTool('write', { filePath: '{{cwd}}/step-{{turn}}', content: 'x' }),
        opencodeTool('write', { filePath: '{{cwd}}/.loop/notes.md', content: 'KEEP: a.txt\n' }),
        reply(say('Went on.')),
      ],
    ],
    judge: [
      [
        opencodeTool('read', { filePath: '{{cwd}}/a.txt' }),
        reply(say('It is there.\n\nVERDICT: done, I looked')),
      ],
    ],
  },
}

const expectWholeRun = (run: YokeRun, engine: TestEngine): void => {
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const events = eventsOf(run)
  expect(of(events, 'trim.applied')).toHaveLength(2)
  expect(of(events, 'run.finished')).toMatchObject([{ result: 'done', iterations: 2 }])
  expect(containers(engine)).toBe('')
}

const ownersIn = (folder: string): readonly number[] => {
  const found = execFileSync('find', [folder, '-printf', '%U\n'], { encoding: 'utf8' })
  return [...new Set(found.trim().split('\n'))].map(Number)
}
