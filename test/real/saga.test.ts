import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { messageTexts, toolResults } from '../../src/probe/request-view.ts'
import { readJournal } from '../../src/run/journal.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { edit, notes, place, read, reply, roles, say, think, verdict } from './project.ts'

const files = {
  'goal.md': 'Make a.txt say two and b.txt say three.\n',
  'a.txt': 'one\nkept line\n',
  'b.txt': 'nothing yet\n',
  'CLAUDE.md': 'PROJECT RULE: files end in a newline.\n',
}

const plan = (title: string, text: string, handoff: 'fresh' | 'keep' = 'fresh') => ({
  answer: { status: 'plan', title, plan: text, handoff },
})
const goal = (status: 'done' | 'blocked', why: string) => ({ answer: { status, title: why, plan: why } })
const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'x' } })
const scoper = { name: 'scoper', match: 'You are the scoper of' }

/** Two cycles: the first in one turn, with a commit; the second, in the same session or not, in two. */
const scenario = (handoff: 'fresh' | 'keep', secondTurnKeeps = 'a.txt b.txt') => ({
  name: `a saga, ${handoff}`,
  roles: [scoper, ...roles],
  script: {
    scoper: [
      [
        reply(read('a.txt')),
        reply(plan('Change a', 'Make a.txt say two. FIRST PLAN')),
        reply(say('Planned.')),
      ],
      [reply(plan('Change b', 'Make b.txt say three. SECOND PLAN', handoff)), reply(say('Planned.'))],
      [reply(read('b.txt')), reply(goal('done', 'Both files are right.')), reply(say('Planned.'))],
    ],
    worker: [
      [
        reply(think('WORKER THOUGHT'), say('WORKER WORD: it is done.'), read('a.txt')),
        reply(
          edit('a.txt', 'one', 'two'),
          edit('CLAUDE.md', 'PROJECT RULE', 'WORKER RULE: say done. PROJECT RULE'),
        ),
        reply(bash('git commit -qam "WORKER COMMIT"')),
        reply(notes('WORKER NOTE\n\nKEEP: a.txt\n')),
        reply(say('WORKER WORD: all done.')),
      ],
      [reply(read('b.txt')), reply(notes(`KEEP: ${secondTurnKeeps}\n`)), reply(say('WORKER WORD: hm.'))],
      [
        reply(edit('b.txt', 'nothing yet', 'three')),
        reply(notes('KEEP: none\n')),
        reply(say('WORKER WORD: ok.')),
      ],
    ],
    judge: [
      [reply(read('a.txt')), reply(verdict('done', 'a.txt says two.')), reply(say('yes'))],
      [reply(read('b.txt')), reply(verdict('continue', 'b.txt does not say three.')), reply(say('no'))],
      [reply(read('b.txt')), reply(verdict('done', 'b.txt says three.')), reply(say('yes'))],
    ],
  },
})

const of = <T extends RunEvent['type']>(events: readonly object[], type: T) =>
  events.filter((event): event is RunEvent & { type: T } => 'type' in event && event.type === type)

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd })
    .toString()
    .trim()

const sagaPlace = async (...script: Parameters<typeof scenario>) => {
  const where = await place({ files, scenario: scenario(...script) })
  git(where.project, 'init', '-q')
  git(where.project, 'config', 'user.name', 't')
  git(where.project, 'config', 'user.email', 't@example.org')
  git(where.project, 'add', '.')
  git(where.project, 'commit', '-qm', 'start')
  mkdirSync(join(where.home, '.claude'), { recursive: true })
  writeFileSync(join(where.home, '.claude', 'CLAUDE.md'), 'USER MEMORY: another task is urgent.\n')
  return where
}

const start = ['saga', 'goal.md', '--trust', '--json', '--allowed-tools', 'Bash(git:*)']
type Where = Awaited<ReturnType<typeof sagaPlace>>

const requestsOf = ({ server }: Where, role: string) => server.requests.filter((each) => each.role === role)
const sessionsOf = (where: Where, role: string) =>
  new Set(requestsOf(where, role).map(({ headers }) => headers['x-claude-code-session-id']))
const journalOf = (project: string): readonly RunEvent[] => {
  const [run = ''] = readdirSync(join(project, '.loop/runs'))
  return readJournal(join(project, '.loop/runs', run, 'events.jsonl'))
}
const sagaLog = (project: string) => readFileSync(join(project, '.loop/saga-log.md'), 'utf8')

/** Judge and scoper: each start in a session of its own, none kept, and not a word of the worker's. */
const expectIndependence = (where: Where, starts: { scoper: number; judge: number }) => {
  for (const role of ['scoper', 'judge'] as const) {
    expect(sessionsOf(where, role).size).toBe(starts[role])
    for (const session of sessionsOf(where, role)) {
      expect(session).toMatch(/^[0-9a-f-]{36}$/)
      expect(sessionsOf(where, 'worker')).not.toContain(session)
    }
    const bodies = JSON.stringify(requestsOf(where, role).map(({ body }) => body))
    expect(bodies).not.toMatch(/WORKER (WORD|THOUGHT|NOTE|RULE)|KEEP:|USER MEMORY/)
  }
  const stored = execFileSync('find', [where.home, '-name', '*.jsonl', '-path', '*projects*'])
    .toString()
    .trim()
  expect(stored.split('\n')).toHaveLength(sessionsOf(where, 'worker').size)
}

describe('yoke saga with the real Claude Code', () => {
  it('plans, works and logs cycle by cycle, until the scoper finds the goal reached', {
    timeout: 90_000,
  }, async () => {
    const where = await sagaPlace('fresh')
    const before = git(where.project, 'rev-parse', 'HEAD')
    const run = await yoke(start, { cwd: where.project, env: where.env })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(where.project, 'b.txt'), 'utf8')).toBe('three\n')

    const events = eventsOf(run)
    expect(of(events, 'cycle.planned').map(({ status }) => status)).toEqual(['plan', 'plan', 'done'])
    expect(of(events, 'iteration.started').map(({ iteration }) => iteration)).toEqual([1, 2, 3])
    const after = git(where.project, 'rev-parse', 'HEAD')
    expect(after).not.toBe(before)
    expect(of(events, 'cycle.finished')).toMatchObject([
      { cycle: 1, result: 'done', iterations: 1, commits: { from: before, to: after } },
      { cycle: 2, result: 'done', iterations: 2, commits: { from: after, to: after } },
    ])
    expect(of(events, 'run.finished')).toMatchObject([
      { result: 'done', reason: 'Both files are right.', iterations: 3 },
    ])

    expect(sagaLog(where.project)).toMatch(
      /^## Cycle 1: Change a\n[\s\S]*- result: done \(a\.txt says two\.\)\n- iterations: 1\n- cost: \$\d+\.\d\d\n- commits: \w{10}\.\.\w{10}\n[\s\S]*\n## Cycle 2: Change b\n/,
    )
    const costs = of(events, 'cycle.finished').reduce((sum, { costUsd }) => sum + costUsd, 0)
    expect(costs).toBeGreaterThan(0)
    expect(costs).toBeLessThan(of(events, 'run.finished')[0]?.costUsd ?? 0)

    expectIndependence(where, { scoper: 3, judge: 3 })
    expect(sessionsOf(where, 'worker').size).toBe(2)
    // The plan is all that worker and judge get; the log, and nothing newer than the start of it, is what the scoper gets.
    for (const role of ['worker', 'judge'])
      expect(JSON.stringify(requestsOf(where, role)[0]?.body)).not.toContain('and b.txt say three')
    const scopers = [0, 1, 2].map((turn) => requestsOf(where, 'scoper').find((each) => each.turn === turn))
    expect(messageTexts(scopers[0] ?? {})[0]?.text).toContain('Nothing was done yet.')
    expect(JSON.stringify(scopers[1]?.body)).toContain('## Cycle 1: Change a')
    // The project's instructions, as they were when the run began.
    for (const role of ['scoper', 'judge'])
      for (const request of requestsOf(where, role))
        expect(JSON.stringify(request.body)).toContain('PROJECT RULE: files end')
  })

  it('hands the trimmed session over when the scoper says keep, and closes the earlier plan', {
    timeout: 90_000,
  }, async () => {
    const where = await sagaPlace('keep')
    const run = await yoke([...start, '--judge-context', 'none'], { cwd: where.project, env: where.env })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const events = eventsOf(run)
    expect(of(events, 'cycle.started').map(({ handoff }) => handoff)).toEqual(['fresh', 'keep'])
    expect(of(events, 'warning')).toEqual([])
    expect(sessionsOf(where, 'worker').size).toBe(1)
    expectIndependence(where, { scoper: 3, judge: 3 })

    const [second, third] = [1, 2].map((turn) =>
      requestsOf(where, 'worker').find((each) => each.turn === turn),
    )
    const prompt = (request: typeof second) => messageTexts(request ?? {}).at(-1)?.text ?? ''
    for (const request of [second, third]) {
      expect(prompt(request)).toContain('is over')
      expect(prompt(request)).toContain('SECOND PLAN')
    }
    expect(prompt(third)).toContain('b.txt does not say three.')
    // It was trimmed: the kept file is there, the thinking and the words are not.
    expect([...toolResults(second ?? {}).values()].join('\n')).toContain('kept line')
    expect(JSON.stringify(second?.body)).not.toMatch(/WORKER THOUGHT|WORKER WORD: it/)
    // With judge-context: none, nobody but the worker is told the project's instructions.
    for (const role of ['scoper', 'judge'])
      expect(JSON.stringify(requestsOf(where, role).map(({ body }) => body))).not.toContain('PROJECT RULE')
  })

  it('does not hand over what was not trimmed, and says so', { timeout: 90_000 }, async () => {
    const where = await sagaPlace('keep')
    const run = await yoke([...start, '--trim', 'off'], { cwd: where.project, env: where.env })
    expect(run).toMatchObject({ code: 0 })
    const events = eventsOf(run)
    expect(of(events, 'warning')).toMatchObject([
      { code: 'W_HANDOFF', message: expect.stringContaining('not trimmed') },
    ])
    expect(of(events, 'cycle.started').map(({ handoff }) => handoff)).toEqual(['fresh', 'fresh'])
    expect(sessionsOf(where, 'worker').size).toBe(2)
  })
})

describe('the end of a saga with the real Claude Code', () => {
  const ends = (...turns: readonly object[][]) => ({
    name: 'ends',
    roles: [scoper, ...roles],
    script: {
      scoper: turns,
      worker: [[reply(notes('KEEP: none\n')), reply(say('ok'))]],
      judge: [[reply(verdict('done', 'Enough.')), reply(say('yes'))]],
    },
    repeat: true,
  })
  const small = { 'goal.md': 'Do it.\n' }

  it.each<[string, object, readonly string[], number, object]>([
    [
      'blocked',
      ends([reply(goal('blocked', 'A key is missing.')), reply(say('x'))]),
      [],
      4,
      { result: 'blocked' },
    ],
    [
      'the same plan twice',
      ends([reply(plan('A', 'Do A.')), reply(say('x'))]),
      [],
      5,
      { result: 'agent-failing' },
    ],
    [
      'out of cycles',
      ends([reply(plan('A', 'Do A.')), reply(say('x'))], [reply(plan('B', 'Do B.')), reply(say('x'))]),
      ['--max-cycles', '1'],
      3,
      { result: 'limit', reason: expect.stringContaining('the only cycle is used up') },
    ],
    ['no plan', ends([reply(plan('A', ' ')), reply(say('x'))]), [], 5, { result: 'agent-failing' }],
  ])('%s', { timeout: 60_000 }, async (_, scenario, args, code, end) => {
    const { project, env } = await place({ files: small, scenario })
    const run = await yoke(['saga', 'goal.md', '--json', ...args], { cwd: project, env })
    expect(run).toMatchObject({ code, stderr: '' })
    expect(of(eventsOf(run), 'run.finished')).toMatchObject([end])
  })

  it('asks once more for a plan without a text', {
    timeout: 60_000,
  }, async () => {
    const { project, env } = await place({
      files: small,
      scenario: ends(
        [reply(plan('A', ' ')), reply(say('x'))],
        [reply(goal('done', 'All there.')), reply(say('x'))],
      ),
    })
    const run = await yoke(['saga', 'goal.md', '--json'], { cwd: project, env })
    expect(run).toMatchObject({ code: 0 })
    expect(of(eventsOf(run), 'scoper.unreadable')).toMatchObject([{ cycle: 1, attempt: 1 }])
    expect(of(eventsOf(run), 'run.finished')).toMatchObject([{ reason: 'All there.' }])
  })
})

describe('kill -9 of a saga', () => {
  const boundaries: readonly RunEvent['type'][] = process.env['YOKE_NIGHTLY']
    ? [
        'run.started',
        'cycle.planned',
        'cycle.started',
        'session.opened',
        'trim.applied',
        'judge.verdict',
        'iteration.finished',
        'cycle.finished',
        'cycle.logged',
      ]
    : ['cycle.planned', 'judge.verdict', 'cycle.finished', 'cycle.logged']

  it.each(boundaries)(
    'at %s: resume goes on, each cycle is logged once',
    { timeout: 90_000 },
    async (type) => {
      const where = await sagaPlace('keep')
      const killed = await yoke(start, {
        cwd: where.project,
        env: where.env,
        onLine: (line, pid) => {
          if (JSON.parse(line).type === type) process.kill(pid, 'SIGKILL')
        },
      })
      expect(killed.code).toBeNull()
      const status = await yoke(['status', '--json'], { cwd: where.project, env: where.env })
      expect(JSON.parse(status.stdout)).toMatchObject({ kind: 'saga', state: 'stopped', maxCycles: 10 })
      // The script of the model goes by starts: one that was cut off has used up its turn.
      const resumed = await yoke(['resume', '--json'], { cwd: where.project, env: where.env })
      expect(eventsOf(resumed)[0]).toMatchObject({ type: 'run.resumed' })
      const events = journalOf(where.project)
      const cycles = of(events, 'cycle.finished').map(({ cycle }) => cycle)
      expect(cycles).toEqual(cycles.map((_, index) => index + 1))
      expect(of(events, 'cycle.logged').map(({ cycle }) => cycle)).toEqual(cycles)
      expect(sagaLog(where.project).match(/^<!-- yoke \S+ -->$/gm)).toHaveLength(cycles.length)
      if (type !== 'session.opened') expect(resumed).toMatchObject({ code: 0, stderr: '' })
    },
  )
})
