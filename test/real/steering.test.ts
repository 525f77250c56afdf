import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { messageTexts } from '../../src/probe/request-view.ts'
import { yoke } from '../helpers/yoke.ts'
import { edit, journalOf, notes, of, place, read, reply, roles, say, verdict } from './project.ts'

const files = {
  'task.md':
    '---\nmax-iterations: 6\n---\nWrite a poem.\n\n- It rhymes.\n- Each line is short.\n- No line is like another.\n- It has an end that one remembers, and a title of one word.\n- Roses are in it.\n',
  'a.txt': 'roses are red\n',
}

const turn = (n: number, ...blocks: readonly object[]) => [
  reply(read('a.txt'), read('task.md')),
  reply(...blocks, notes(`Turn ${n}.\n\nKEEP: a.txt\n`)),
  // Time enough to speak to the run while it works.
  { ...reply(say(`Turn ${n} is over.`)), delayMs: n === 1 ? 2000 : 0 },
]
const judged = (word: 'done' | 'continue', reason: string) => [
  reply(verdict(word, reason)),
  reply(say('yes')),
]

const start = ['brute', 'task.md', '--trust', '--json']

/** The events of one type in the run of a project. */
const eventsIn = <T extends RunEvent['type']>(project: string, type: T) => of(journalOf(project), type)

/** Starts a run; what is to be done at a line of its output is awaited with it. */
const steered = async (
  where: Awaited<ReturnType<typeof place>>,
  args: readonly string[],
  at: (event: RunEvent, pid: number) => Promise<unknown> | undefined,
) => {
  const doing: (Promise<unknown> | undefined)[] = []
  const run = await yoke(args, {
    cwd: where.project,
    env: where.env,
    onLine: (line, pid) => doing.push(at(JSON.parse(line), pid)),
  })
  await Promise.all(doing)
  return run
}

describe('a person who steers a run of the real Claude Code', async () => {
  it('is heard before the next iteration; the worker cannot change its own task', {
    timeout: 60_000,
  }, async () => {
    const where = await place({
      files,
      scenario: {
        name: 'steered',
        roles,
        script: {
          worker: [turn(1), turn(2, edit('task.md', 'It rhymes.', 'Anything will do.')), turn(3)],
          judge: [
            judged('done', 'It rhymes.'),
            judged('continue', 'Where is the sea?'),
            judged('done', 'It is of the sea.'),
          ],
        },
      },
    })
    const { project, env, server } = where
    const cli = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await yoke(args, { cwd: project, env })
      expect([args, code, stderr]).toEqual([args, 0, ''])
      return stdout
    }
    const run = await steered(where, start, (event) => {
      if (event.type === 'session.opened' && journalOf(project).length < 6)
        return cli('say', 'Mention $(the) `sea`; "twice".').then(() => cli('pause'))
      if (event.type !== 'run.paused') return undefined
      writeFileSync(join(project, 'task.md'), files['task.md'].replace('poem', 'poem of the sea'))
      return cli('status', '--json').then(async (status) => {
        expect(JSON.parse(status)).toMatchObject({ state: 'paused' })
        await cli('resume')
      })
    })
    expect([run.code, run.stderr]).toEqual([0, ''])

    expect(eventsIn(project, 'person.said').map(({ text }) => text)).toEqual([
      'Mention $(the) `sea`; "twice".',
    ])
    expect(eventsIn(project, 'task.changed')).toMatchObject([
      { difference: expect.stringMatching(/^-Write a poem\.\n\+Write a poem of the sea\.$/m) },
    ])
    expect(eventsIn(project, 'task.ignored')).toMatchObject([
      { difference: expect.stringContaining('+- Anything will do.') },
    ])
    // The first `done` was about another task.
    expect(eventsIn(project, 'judge.verdict').map((event) => event.verdict)).toEqual([
      'done',
      'continue',
      'done',
    ])

    const prompts = [0, 1, 2].map((index) => {
      const first = server.requests.find((each) => each.role === 'worker' && each.turn === index)
      return messageTexts(first ?? {}).at(-1)?.text ?? ''
    })
    expect(prompts[1]).toContain('> Mention $(the) `sea`; "twice".')
    expect(prompts[2]).not.toContain('Mention')
    for (const prompt of prompts.slice(1)) expect(prompt).toContain('+Write a poem of the sea.')
    const judges = server.requests
      .filter(({ role }) => role === 'judge')
      .map(({ body }) => JSON.stringify(body))
    expect(judges[0]).toContain('Write a poem.')
    expect(judges.at(-1)).toContain('Write a poem of the sea.')
    expect(judges.join()).not.toMatch(/Anything will do|Mention/)
    expect(
      readdirSync(join(project, '.loop/runs', eventsIn(project, 'run.started')[0]?.run ?? '', 'inbox')),
    ).toEqual([])
  })

  it('is heard once, also by a run that is killed while it listens', { timeout: 60_000 }, async () => {
    const where = await place({
      files,
      scenario: {
        name: 'killed',
        roles,
        repeat: true,
        script: { worker: [turn(1)], judge: [judged('continue', 'More.'), judged('done', 'Enough.')] },
      },
    })
    const { project, env, server } = where
    const killed = await steered(where, start, (event, pid) => {
      if (event.type === 'session.opened') return yoke(['say', 'Be brief.'], { cwd: project, env })
      if (event.type === 'person.said') process.kill(pid, 'SIGKILL')
      return undefined
    })
    expect(killed.code).toBe(null)
    expect(await yoke(['resume', '--json'], { cwd: project, env })).toMatchObject({ code: 0, stderr: '' })
    expect(eventsIn(project, 'person.said')).toHaveLength(1)
    const second = server.requests.find((each) => each.role === 'worker' && each.turn === 1)
    expect(messageTexts(second ?? {}).at(-1)?.text).toContain('> Be brief.')
    expect(await yoke(['say', 'Too late.'], { cwd: project, env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('E_RUN_DONE'),
    })
  })

  it.skipIf(process.env['YOKE_NIGHTLY'] !== '1')(
    'is heard by the scoper of a saga, with the new goal',
    {
      timeout: 60_000,
    },
    async () => {
      const plan = (status: 'plan' | 'done', text: string) => [
        reply({ answer: { status, title: text, plan: text, handoff: 'fresh' } }),
        reply(say('Planned.')),
      ]
      const where = await place({
        files,
        scenario: {
          name: 'steered saga',
          roles: [{ name: 'scoper', match: 'You are the scoper of' }, ...roles],
          script: {
            scoper: [plan('plan', 'Name the roses.'), plan('done', 'All there.')],
            worker: [turn(1)],
            judge: [judged('done', 'Named.')],
          },
        },
      })
      const { project, env, server } = where
      const cli = (...args: readonly string[]) => yoke(args, { cwd: project, env })
      const run = await steered(where, ['saga', 'task.md', '--trust', '--json'], (event) => {
        if (event.type === 'session.opened') return cli('pause')
        if (event.type !== 'cycle.logged') return undefined
        writeFileSync(join(project, 'task.md'), files['task.md'].replace('poem', 'poem of the sea'))
        return cli('say', 'Mind the tide.').then(() => cli('resume'))
      })
      expect([run.code, run.stderr]).toEqual([0, ''])
      expect(eventsIn(project, 'task.changed')).toHaveLength(1)
      const [first, second] = [0, 1].map((index) =>
        server.requests.find(({ role, turn }) => role === 'scoper' && turn === index),
      )
      expect(JSON.stringify(first?.body)).not.toMatch(/of the sea|the tide/)
      expect(JSON.stringify(second?.body)).toMatch(/poem of the sea.*Mind the tide/s)
      const others = server.requests
        .filter(({ role }) => role !== 'scoper')
        .map(({ body }) => JSON.stringify(body))
      expect(others.join()).not.toMatch(/of the sea|the tide/)
    },
  )
})
