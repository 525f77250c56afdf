import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { git, initialise, put } from '../helpers/repository.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { place, reply, say, verdict } from './project.ts'

const names = ['a', 'b', 'c'] as const
const file = (name: string, path: string, content: string) => ({
  tool: 'Write',
  input: { file_path: `{{cwd}}.worktrees/${name}/${path}`, content },
})

const turn = (name: string) => [
  reply(file(name, `${name}.txt`, `${name}\n`)),
  reply(file(name, '.loop/notes.md', `KEEP: none\nCOMMIT: Add ${name}\n`)),
  reply(say('Ok.')),
]

type Turns = readonly (readonly object[])[]

/** Each task has a worker and a judge of its own: they work at the same time. */
const scenario = (turns: (name: string) => Turns = (name) => [turn(name)]) => ({
  name: 'several',
  roles: names.flatMap((name) => [
    { name: `judge-${name}`, match: `You are the judge of a task[\\s\\S]*Task ${name}\\.` },
    { name: `worker-${name}`, match: `\\.loop/notes\\.md[\\s\\S]*Task ${name}\\.` },
  ]),
  script: Object.fromEntries(
    names.flatMap((name) => [
      [`worker-${name}`, turns(name)],
      [`judge-${name}`, [[reply(verdict(name === 'c' ? 'blocked' : 'done', 'Seen.')), reply(say('said'))]]],
    ]),
  ),
})

const several = async (turns?: (name: string) => Turns) => {
  const { project, env } = await place({ files: { 'x.txt': 'x\n' }, scenario: scenario(turns) })
  initialise(project)
  put(project, Object.fromEntries(names.map((name) => [`${name}.md`, `Task ${name}.\n`])))
  return { project, env }
}

const atNight = it.skipIf(!process.env['YOKE_NIGHTLY'])

describe.skipIf(process.platform === 'win32')('several tasks with the real Claude Code', () => {
  it('are worked on two at a time in worktrees, and leave branches', { timeout: 90_000 }, async () => {
    const { project, env } = await several()
    const run = await yoke(['brute', ...names.map((name) => `${name}.md`), '--parallel', '2', '--json'], {
      cwd: project,
      env,
    })
    expect(run.stderr).toBe('')
    expect(run.code).toBe(4)
    for (const name of names)
      expect(git(project, 'log', '--format=%s', `yoke/${name}`)).toBe(`Add ${name}\nfirst`)
    expect(git(project, 'log', '--format=%s')).toBe('first')
    expect(existsSync(`${project}/.loop`)).toBe(false)

    const order = eventsOf(run).filter(
      (event): event is RunEvent => event.type === 'run.started' || event.type === 'run.finished',
    )
    let atWork = 0
    const counts = order.map(({ type }) => {
      atWork += type === 'run.started' ? 1 : -1
      return atWork
    })
    expect(Math.max(...counts)).toBe(2)
    expect(new Set(order.map((event) => event.run)).size).toBe(3)
  })

  atNight('wait together for a usage limit that one of them meets', { timeout: 90_000 }, async () => {
    const soon = Math.ceil(Date.now() / 1000) + 8
    const error = { status: 429, type: 'rate_limit_error', message: `Claude AI usage limit reached|${soon}` }
    const { project, env } = await several((name) =>
      name === 'a' ? [[{ error, times: 20 }], turn(name)] : [turn(name)],
    )
    const run = await yoke(['brute', 'a.md', 'b.md', '--json'], { cwd: project, env })
    expect(run.code).toBe(0)
    const waits = eventsOf(run).flatMap((event) => (event.type === 'wait.started' ? [event] : []))
    expect(new Set(waits.map((event) => event.run)).size).toBe(2)
    expect(new Set(waits.map(({ until }) => until)).size).toBe(1)
  })

  atNight('share the money', { timeout: 90_000 }, async () => {
    const { project, env } = await several()
    const limits = ['--parallel', '1', '--max-cost-usd', '0.12']
    const run = await yoke(['brute', 'a.md', 'b.md', ...limits, '--json'], { cwd: project, env })
    expect(run.code).toBe(3)
    const ends = eventsOf(run).flatMap((event) => (event.type === 'run.finished' ? [event] : []))
    expect(ends.map(({ result }) => result)).toEqual(['done', 'limit'])
  })
})
