import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { podmanIsPossible, startPodman, type TestEngine } from '../helpers/engines.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { bash, claude, containers, flags, scenario, start, startWorktree } from './sandbox-place.ts'

const isNight = process.env['YOKE_NIGHTLY'] === '1'

const of = <T extends RunEvent['type']>(events: readonly object[], type: T) =>
  events.filter((event): event is RunEvent & { type: T } => 'type' in event && event.type === type)

describe.skipIf(!isNight || !podmanIsPossible)('yoke in containers of a real Podman', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startPodman([claude()])
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
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const events = eventsOf(run)
    expect(of(events, 'trim.applied')).toHaveLength(2)
    expect(of(events, 'run.finished')).toMatchObject([{ result: 'done', iterations: 2 }])
    const found = execFileSync('find', [join(project, '.loop/agent-home/projects'), '-name', '*.jsonl'])
    const [session = '', ...more] = found.toString().trim().split('\n')
    expect(more).toEqual([])
    expect(statSync(session).uid).toBe(process.getuid?.())
    expect(execFileSync('cat', [join(project, 'look.txt')], { encoding: 'utf8' })).toMatch(
      /CapEff:\s0{16}\noutside\n/,
    )
    expect(containers(engine)).toBe('')
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
      // Claude Code goes on without its session, and tells of it.
      expect(run.stdout).toMatch(/"class":"no-transcript"|session_writes_lost/)
      expect(run.stdout).not.toContain('"type":"trim.applied"')
      expect(run.stderr).not.toContain('    at ')
    } finally {
      execFileSync('umount', [home])
    }
  })
})
