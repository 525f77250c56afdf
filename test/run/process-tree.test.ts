import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { endProcessTree, withTreeMark } from '../../src/run/process-tree.ts'
import { processStart } from '../../src/system/process-start.ts'

const program = (name: string) => join(import.meta.dirname, '..', 'fixtures', 'programs', `${name}.mjs`)
const runs = (pid: number) => processStart(pid) !== undefined

const started: number[] = []
afterEach(() => {
  for (const pid of started.splice(0)) if (runs(pid)) process.kill(pid, 'SIGKILL')
})

/** Starts a program in a group of its own; resolves with its pid and the number in its first line. */
const start = async (name: string, args: readonly string[], env: Record<string, string | undefined>) => {
  const child = spawn(process.execPath, [program(name), ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const pid = child.pid ?? 0
  const [line] = await once(child.stdout, 'data')
  const inner = Number(/\d+/.exec(String(line))?.[0] ?? 0)
  started.push(pid, inner)
  return { pid, inner }
}

const clean = { PATH: process.env['PATH'] ?? '' }

describe.skipIf(process.platform !== 'linux')('the end of a process tree', () => {
  it('comes by the mark that the root itself bears, as for the agent of a yoke that was killed', async () => {
    const { pid, inner } = await start('escaping-grandchild', ['stay'], withTreeMark(clean))
    expect(await endProcessTree(pid, { graceMs: 200 })).toBe(true)
    expect([runs(pid), runs(inner)]).toEqual([false, false])
  })

  it('is the end of all when the root is gone already', async () => {
    const env = withTreeMark(clean)
    const { pid, inner } = await start('escaping-grandchild', [], env)
    while (runs(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(runs(inner)).toBe(true)
    expect(await endProcessTree(pid, { graceMs: 200, env })).toBe(true)
    expect(runs(inner)).toBe(false)
  })

  it('takes the trees inside it along', async () => {
    const outer = withTreeMark(clean)
    const { pid } = await start('silent', [], outer)
    const inside = await start('silent', [], withTreeMark(outer))
    await endProcessTree(pid, { graceMs: 1_000, env: outer })
    expect([runs(pid), runs(inside.pid)]).toEqual([false, false])
  })

  it('leaves the tree around it, and those beside it, alone', async () => {
    const outer = withTreeMark(clean)
    const around = await start('silent', [], outer)
    const beside = await start('silent', [], withTreeMark(outer))
    const env = withTreeMark(outer)
    const { pid } = await start('silent', [], env)
    await endProcessTree(pid, { graceMs: 1_000, env })
    expect([runs(pid), runs(around.pid), runs(beside.pid)]).toEqual([false, true, true])
  })

  it('does not take the mark that yoke itself inherited for that of its child', async () => {
    const before = process.env['YOKE_PROCESS_TREE']
    const outer = withTreeMark(clean)
    process.env['YOKE_PROCESS_TREE'] = outer.YOKE_PROCESS_TREE
    try {
      const around = await start('silent', [], outer)
      const { pid } = await start('silent', [], outer)
      await endProcessTree(pid, { graceMs: 1_000 })
      expect([runs(pid), runs(around.pid)]).toEqual([false, true])
    } finally {
      if (before === undefined) delete process.env['YOKE_PROCESS_TREE']
      else process.env['YOKE_PROCESS_TREE'] = before
    }
  })
})
