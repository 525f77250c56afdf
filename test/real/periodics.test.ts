import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { messageTexts, toolResults } from '../../src/probe/request-view.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { edit, notes, place, read, reply, roles, say, think, verdict, write } from './project.ts'

const task = `---
periodics:
  - { name: docs, every: 1, session: own, prompt-file: docs.md }
  - { name: tidy, every: 2, prompt: TIDY PROMPT }
---
Write the numbers.
`

const files = {
  'task.md': task,
  'docs.md': 'DOCS PROMPT\n',
  'README.md': 'readme line\n',
  'a.txt': 'zero\n',
  'b.txt': 'a file that is read once\n',
}

const periodic = (name: string) => ({ name, match: `You are called as "${name}"` })

const scenario = {
  name: 'periodics',
  roles: [periodic('docs'), periodic('tidy'), ...roles],
  script: {
    worker: [
      [
        reply(say('WORKER WORD 1'), read('a.txt')),
        reply(notes('WORKER NOTE\nKEEP: a.txt\n')),
        reply(say('WORKER WORD')),
      ],
      [reply(edit('a.txt', 'zero', 'one')), reply(notes('KEEP: a.txt\n')), reply(say('WORKER WORD 2'))],
      [reply(edit('a.txt', 'one', 'two')), reply(notes('KEEP: a.txt\n')), reply(say('WORKER WORD 3'))],
    ],
    docs: [
      [
        reply(think('DOCS THOUGHT'), say('DOCS WORD 1'), read('README.md'), read('b.txt')),
        reply(write('.loop/notes.docs.md', 'DOCS NOTE\nKEEP: README.md\n')),
        reply(say('DOCS WORD')),
      ],
      [reply(edit('README.md', 'readme', 'better readme')), reply(say('DOCS WORD 2'))],
    ],
    tidy: [[reply(say('TIDY WORD 1'))], [reply(say('TIDY WORD 2'))]],
    judge: [
      [reply(verdict('continue', 'Not one.')), reply(say('no'))],
      [reply(verdict('continue', 'Not two.')), reply(say('no'))],
      [reply(verdict('done', 'It is two.')), reply(say('yes'))],
    ],
  },
}

const of = <T extends RunEvent['type']>(events: readonly object[], type: T) =>
  events.filter((event): event is RunEvent & { type: T } => 'type' in event && event.type === type)

type Where = Awaited<ReturnType<typeof place>>
const requestsOf = ({ server }: Where, role: string) => server.requests.filter((each) => each.role === role)
const sessionsOf = (where: Where, role: string) => [
  ...new Set(requestsOf(where, role).map(({ headers }) => headers['x-claude-code-session-id'] ?? 'none')),
]
const bodiesOf = (where: Where, role: string) =>
  JSON.stringify(requestsOf(where, role).map(({ body }) => body))

describe('periodics with the real Claude Code', () => {
  it('run in their order, each in its own session, and sessions never mix', { timeout: 90_000 }, async () => {
    const where = await place({ files, scenario })
    const run = await yoke(['brute', 'task.md', '--json'], { cwd: where.project, env: where.env })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const events = eventsOf(run)
    expect(of(events, 'periodic.started').map(({ iteration, name }) => `${iteration} ${name}`)).toEqual([
      '1 docs',
      '2 docs',
      '2 tidy',
    ])
    expect(of(events, 'periodic.finished').map(({ problem }) => problem)).toEqual(['', '', ''])
    expect(readFileSync(join(where.project, 'README.md'), 'utf8')).toBe('better readme line\n')

    // By the server's log: the worker and docs go on in one session each, tidy has a fresh one.
    const [worker, docs, tidy] = ['worker', 'docs', 'tidy'].map((role) => sessionsOf(where, role))
    expect([worker?.length, docs?.length, tidy?.length]).toEqual([1, 1, 1])
    const all = ['worker', 'docs', 'tidy', 'judge'].flatMap((role) => sessionsOf(where, role))
    expect(all).not.toContain('none')
    expect(new Set(all).size).toBe(all.length)
    for (const [role, own] of [
      ['worker', 'WORKER'],
      ['docs', 'DOCS'],
      ['tidy', 'TIDY'],
    ] as const)
      for (const other of ['WORKER', 'DOCS', 'TIDY'].filter((each) => each !== own))
        expect(bodiesOf(where, role)).not.toMatch(new RegExp(`${other} (WORD|NOTE|THOUGHT|PROMPT)`))
    expect(bodiesOf(where, 'judge')).not.toMatch(/(WORKER|DOCS|TIDY) (WORD|NOTE|THOUGHT|PROMPT)/)

    // docs was trimmed by its own notes: what it keeps is there, what it read besides is not.
    const second = requestsOf(where, 'docs').find((each) => each.turn === 1) ?? {}
    expect([...toolResults(second).values()].join('\n')).toContain('readme line')
    expect([...toolResults(second).values()].join('\n')).not.toContain('read once')
    expect(JSON.stringify(second)).not.toContain('DOCS THOUGHT')
    expect(of(events, 'trim.applied').filter(({ role }) => role === 'periodic:docs')).toMatchObject([
      { session: docs?.[0], kept: ['README.md'] },
      { session: docs?.[0] },
    ])

    // The lineage of each, and one stored session for each that goes on.
    const [id = ''] = readdirSync(join(where.project, '.loop/runs'))
    expect(JSON.parse(readFileSync(join(where.project, '.loop/runs', id, 'sessions.json'), 'utf8'))).toEqual({
      worker: worker?.map((session) => ({ id: session })),
      'periodic:docs': docs?.map((session) => ({ id: session })),
    })
    const stored = execFileSync('find', [where.home, '-name', '*.jsonl', '-path', '*projects*'])
      .toString()
      .trim()
    expect(stored.split('\n')).toHaveLength(2)

    // Their cost counts, once each: a release that prints the cost of the whole session is not believed twice.
    const starts = of(events, 'agent.finished')
    const total = starts.reduce((sum, { costUsd }) => sum + costUsd, 0)
    expect(of(events, 'run.finished')[0]?.costUsd).toBeCloseTo(total, 6)
    for (const { role, costUsd } of starts) expect([role, costUsd > 0]).toEqual([role, true])
    const [first, later] = starts.filter(({ role }) => role === 'periodic:docs')
    expect(later?.printedCostUsd).toBeCloseTo((first?.costUsd ?? 0) + (later?.costUsd ?? 0), 6)

    // The worker is told that somebody else has changed files.
    const third = requestsOf(where, 'worker').find((each) => each.turn === 2) ?? {}
    expect(messageTexts(third).at(-1)?.text).toContain('(docs)')
  })

  it('begins anew when its own session is gone, and the worker keeps its own', {
    timeout: 90_000,
  }, async () => {
    const where = await place({
      files,
      scenario: {
        ...scenario,
        script: { ...scenario.script, docs: [scenario.script.docs[0], scenario.script.docs[0]] },
      },
    })
    let gone = false
    const run = await yoke(['brute', 'task.md', '--json'], {
      cwd: where.project,
      env: where.env,
      onLine: (line) => {
        const event = JSON.parse(line)
        if (gone || event.type !== 'trim.applied' || event.role !== 'periodic:docs') return
        gone = true
        for (const file of execFileSync('find', [where.home, '-name', `${event.session}.jsonl`])
          .toString()
          .trim()
          .split('\n'))
          rmSync(file)
      },
    })
    expect(run).toMatchObject({ code: 0 })
    const events = eventsOf(run)
    const [old, fresh] = of(events, 'session.opened').filter(({ role }) => role === 'periodic:docs')
    expect(of(events, 'session.stale')).toMatchObject([{ role: 'periodic:docs', session: old?.session }])
    expect(fresh?.session).not.toBe(old?.session)
    expect(of(events, 'periodic.finished').map(({ problem }) => problem)).toEqual(['', '', ''])
    expect(sessionsOf(where, 'worker')).toHaveLength(1)
  })

  it.each([
    ['goes on', false, 0],
    ['ends when it is required', true, 5],
  ])('a run with a failing periodic %s', { timeout: 90_000 }, async (_, required, code) => {
    const where = await place({
      files: { ...files, 'task.md': 'Write the numbers.\n' },
      scenario: {
        ...scenario,
        script: {
          ...scenario.script,
          // The connection breaks off again and again: the CLI gives up.
          docs: [[{ blocks: [{ text: 'x' }], cutAfter: 0, times: 50 }]],
        },
      },
    })
    const own = `{name: docs, every: 2, prompt: x, required: ${required}}`
    const run = await yoke(['brute', 'task.md', '--json', '--periodics', own], {
      cwd: where.project,
      env: where.env,
    })
    expect(run).toMatchObject({ code })
    const [end] = of(eventsOf(run), 'periodic.finished')
    if (required) expect(of(eventsOf(run), 'run.finished')[0]?.reason).toContain('docs is required')
    else expect(end?.problem).not.toBe('')
  })
})
