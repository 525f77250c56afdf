import { readdirSync, readFileSync } from 'node:fs'
import { cp, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSessionFile } from '../../src/agents/opencode/store.ts'
import { ensureRelease } from '../../src/probe/pinned-cli.ts'
import { messageTexts, toolResults } from '../../src/probe/request-view.ts'
import { cache } from '../helpers/claude.ts'
import { eventsOf, yoke as runYoke } from '../helpers/yoke.ts'
import { edit, model, notes, openCodeProject, read, write } from './opencode-project.ts'
import { journalOf, of, reply, roles, runOf, say } from './project.ts'

type Where = Awaited<ReturnType<typeof openCodeProject>>

const done = (why: string) => reply(say(`I looked.\n\nVERDICT: done, ${why}`))
const notYet = (why: string) => reply(say(`I looked.\n\nVERDICT: continue, ${why}`))
const requestsOf = ({ server }: Where, role: string) => server.requests.filter((each) => each.role === role)
const firstOf = (where: Where, role: string, turn: number) =>
  requestsOf(where, role).find((each) => each.turn === turn) ?? {}
const bodiesOf = (where: Where, role: string) =>
  JSON.stringify(requestsOf(where, role).map(({ body }) => body))
const promptOf = (where: Where, turn: number) =>
  messageTexts(firstOf(where, 'worker', turn))
    .map(({ text }) => text)
    .join('\n')

/** A turn that leaves a file, and keeps another one. */
const step = (n: number, note = 'KEEP: a.txt\n') => [
  reply(say(`WORKER WORD ${n}`), read('a.txt'), write(`step-${n}`, 'x')),
  reply(notes(note)),
  reply(say('WORKER WORD')),
]
const files = { 'task.md': 'WHOLE TASK\n', 'a.txt': 'kept line\n' }
const brute = ['brute', 'task.md', '--agent', 'opencode', '--model', model]

const twoSteps = (more: readonly object[] = []) => ({
  name: 'two steps',
  roles,
  script: {
    worker: [step(1), ...more, step(2), step(3)],
    judge: [[notYet('one is missing')], [done('enough')]],
  },
})

/** Each takes minutes. */
const atNight = describe.skipIf(!process.env['YOKE_NIGHTLY'])

atNight('loops with the real OpenCode', { timeout: 600_000 }, () => {
  it('plan a saga cycle by cycle, and hand the trimmed session over when the scoper says so', async () => {
    const plan = (title: string, handoff: 'fresh' | 'keep') =>
      say(JSON.stringify({ status: 'plan', title, plan: `${title}. PLAN OF ${title}`, handoff }))
    const where = await openCodeProject({
      files: { 'goal.md': 'THE GOAL\n', 'a.txt': 'one\n', 'b.txt': 'nothing yet\n' },
      scenario: {
        name: 'saga',
        roles: [{ name: 'scoper', match: 'You are the scoper of' }, ...roles],
        script: {
          scoper: [
            [reply(read('a.txt')), reply(plan('FIRST', 'fresh'))],
            [reply(plan('SECOND', 'keep'))],
            [reply(say('{"status":"done","title":"Both are right.","plan":"Both are right."}'))],
          ],
          worker: [
            [
              reply(say('WORKER WORD'), read('a.txt'), edit('a.txt', 'one', 'two')),
              reply(notes('WORKER NOTE\n\nKEEP: a.txt\n')),
              reply(say('WORKER WORD: done.')),
            ],
            [
              reply(read('b.txt')),
              reply(edit('b.txt', 'nothing yet', 'three'), notes('KEEP: none\n')),
              reply(say('WORKER WORD: ok.')),
            ],
          ],
          judge: [[done('a.txt says two')], [done('b.txt says three')]],
        },
      },
    })
    const run = await where.run(['saga', 'goal.md', '--agent', 'opencode', '--model', model])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const events = eventsOf(run)
    expect(of(events, 'cycle.planned').map(({ status }) => status)).toEqual(['plan', 'plan', 'done'])
    expect(of(events, 'cycle.started').map(({ handoff }) => handoff)).toEqual(['fresh', 'keep'])
    expect(of(events, 'cycle.finished').map(({ result }) => result)).toEqual(['done', 'done'])
    const workers = of(events, 'agent.finished').filter(({ role }) => role === 'worker')
    expect(workers[1]?.session).toBe(of(events, 'trim.applied')[0]?.newSession)
    expect([...toolResults(firstOf(where, 'worker', 1)).values()].join('\n')).toContain('1: two')
    expect(promptOf(where, 1)).toContain('PLAN OF SECOND')
    for (const role of ['scoper', 'judge'])
      expect(bodiesOf(where, role)).not.toMatch(/WORKER (WORD|NOTE)|KEEP:/)
    expect(bodiesOf(where, 'worker')).not.toContain('THE GOAL')
    expect(readFileSync(join(where.project, '.loop/saga-log.md'), 'utf8')).toMatch(
      /## Cycle 1: FIRST\n[\s\S]*## Cycle 2: SECOND\n/,
    )
  })

  it('run periodics in sessions of their own, and begin a fresh session on RESET', async () => {
    const where = await openCodeProject({
      files: {
        ...files,
        'task.md':
          '---\nperiodics:\n  - { name: docs, every: 1, session: own, prompt: DOCS PROMPT }\n  - { name: tidy, every: 2, prompt: TIDY PROMPT }\n---\nWHOLE TASK\n',
        'README.md': 'readme line\n',
      },
      scenario: {
        name: 'periodics',
        roles: [
          ...['docs', 'tidy'].map((name) => ({ name, match: `You are called as "${name}"` })),
          ...roles,
        ],
        script: {
          worker: [step(1), step(2, 'WORKER NOTE\nRESET: TRUE\nKEEP: a.txt\n'), step(3)],
          docs: [
            [
              reply(say('DOCS WORD'), read('README.md'), read('a.txt')),
              reply(write('.loop/notes.docs.md', 'DOCS NOTE\nKEEP: README.md\n')),
              reply(say('DOCS WORD')),
            ],
            [reply(edit('README.md', 'readme', 'better')), reply(say('DOCS WORD 2'))],
          ],
          tidy: [[reply(say('TIDY WORD'))]],
          judge: [[notYet('OBJECTION 1')], [notYet('OBJECTION 2')], [done('enough')]],
        },
      },
    })
    const run = await where.run(brute)
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const events = eventsOf(run)
    expect(of(events, 'periodic.finished').map(({ name, problem }) => `${name}${problem}`)).toEqual([
      ...['docs', 'docs', 'tidy'],
    ])
    const sessions = (role: string) =>
      of(events, 'agent.finished').flatMap((each) => (each.role === role ? [each.session] : []))
    const [docs] = of(events, 'trim.applied').filter(({ role }) => role === 'periodic:docs')
    expect(docs).toMatchObject({ session: sessions('periodic:docs')[0], kept: ['README.md'] })
    expect(sessions('periodic:docs')[1]).toBe(docs?.newSession)
    expect([...toolResults(firstOf(where, 'docs', 1)).values()].join('\n')).not.toContain('kept line')
    for (const [role, others] of [
      ['worker', 'DOCS|TIDY'],
      ['docs', 'WORKER|TIDY'],
      ['tidy', 'WORKER|DOCS'],
      ['judge', 'WORKER|DOCS|TIDY'],
    ] as const)
      expect(bodiesOf(where, role)).not.toMatch(new RegExp(`(${others}) (WORD|NOTE|PROMPT)`))

    expect(of(events, 'session.forked')).toMatchObject([{ reason: expect.stringContaining('RESET') }])
    expect(new Set(sessions('worker')).size).toBe(3)
    for (const words of ['WHOLE TASK', 'OBJECTION 2']) expect(promptOf(where, 2)).toContain(words)
    expect(JSON.stringify(firstOf(where, 'worker', 2))).not.toContain('WORKER WORD')
    expect(readFileSync(join(where.project, '.loop/notes.md'), 'utf8')).not.toContain('RESET')
  })

  it('go on after a kill in the middle of a turn, and leave a session that is gone', async () => {
    const where = await openCodeProject({ files, scenario: twoSteps([step(2)]) })
    const killed = await where.run(brute, (line, pid) => {
      if (JSON.parse(line).type === 'agent.tool') process.kill(pid, 'SIGKILL')
    })
    expect(killed.code).toBeNull()
    // While the judge works: after its verdict the next iteration begins at once.
    const stopped = await where.run(['resume'], (line, pid) => {
      const { type, role } = JSON.parse(line)
      if (type === 'agent.started' && role === 'judge') process.kill(pid, 'SIGINT')
    })
    expect(stopped).toMatchObject({ code: 130, stderr: '' })
    const status = JSON.parse((await where.run(['status'])).stdout)
    expect(status).toMatchObject({ state: 'interrupted', iteration: 1, agent: 'opencode' })
    await where.opencode(['session', 'delete', status.session])
    expect(await where.run(['resume'])).toMatchObject({ code: 0, stderr: '' })
    const events = journalOf(where.project)
    expect(of(events, 'agent.lost')).toHaveLength(1)
    expect(of(events, 'session.stale')).toMatchObject([{ session: status.session }])
    expect(of(events, 'iteration.started').map(({ iteration }) => iteration)).toEqual([1, 2])
    const report = JSON.parse((await where.run(['report'])).stdout)
    expect(report).toMatchObject({ agent: 'opencode', result: 'done' })
    expect((await where.yoke(['report', '--html', 'report.html'])).code).toBe(0)
  })

  it('go on after a kill in the middle of a trim, whose session is neither resumed nor left in the store', async () => {
    const where = await openCodeProject({ files, scenario: twoSteps() })
    const importing = () =>
      readdirSync(join(runOf(where.project), 'backups')).some((name) => name.endsWith('.import.pid'))
    for (const delayMs of [0, 400, 1_500]) {
      const isFirst = delayMs === 0
      const iterations = String(isFirst ? 1 : of(journalOf(where.project), 'iteration.started').length + 1)
      let timer: NodeJS.Timeout | undefined
      const killed = await where.run(
        [...(isFirst ? [...brute, '--judge', 'off'] : ['resume']), '--max-iterations', iterations],
        (line, pid) => {
          if (JSON.parse(line).type !== 'notes.read') return
          timer = setInterval(() => {
            if (!importing()) return
            clearInterval(timer)
            setTimeout(() => process.kill(pid, 'SIGKILL'), delayMs)
          }, 20)
        },
      )
      clearInterval(timer)
      expect(killed.code).toBeNull()
      expect(await where.run(['resume', '--max-iterations', iterations])).toMatchObject({
        code: 3,
        stderr: '',
      })
    }
    const events = journalOf(where.project)
    expect(of(events, 'session.stale')).toEqual([])
    expect(of(events, 'trim.refused')).toEqual([])
    const trims = of(events, 'trim.applied')
    expect(trims).toHaveLength(3)
    const { stdout } = await where.opencode(['db', 'SELECT id FROM session', '--format', 'json'])
    const last = trims.at(-1)
    expect(
      JSON.parse(stdout)
        .map(({ id }: { id: string }) => id)
        .sort(),
    ).toEqual([last?.session, last?.newSession].sort())
  })

  it('leave their session when the project was copied: OpenCode would go on in the folder of before', async () => {
    const where = await openCodeProject({ files, scenario: twoSteps([step(2)]) })
    expect(await where.run([...brute, '--max-iterations', '1'])).toMatchObject({ code: 3 })
    const copy = `${where.project}-copy`
    await cp(where.project, copy, { recursive: true })
    const yoke = (args: readonly string[]) => runYoke(args, { cwd: copy, env: where.env })
    const run = await yoke(['resume', '--max-iterations', '2'])
    expect(run.stdout).toContain(`Fresh session: the project was moved from ${where.project}`)
    const events = journalOf(copy)
    expect(of(events, 'run.resumed')).toMatchObject([{ cwd: copy, movedFrom: where.project }])
    const [first, second] = of(events, 'agent.finished').filter(({ role }) => role === 'worker')
    expect(second).toMatchObject({ class: 'permission' })
    expect(second?.session).not.toBe(first?.session)
    expect(JSON.stringify(firstOf(where, 'worker', 1))).toContain(`Working directory: ${copy}`)
  })

  it('stop at a limit of the provider, which OpenCode would try again for ever', async () => {
    const limited = { error: { status: 429, type: 'rate_limit_error', message: 'slow down' }, times: 99 }
    const where = await openCodeProject({
      files,
      scenario: { ...twoSteps(), script: { worker: [[limited]], judge: [] } },
    })
    // OpenCode needs half a minute to its first request where the machine is busy.
    const run = await where.run([...brute, '--on-limit', 'stop', '--idle-timeout', '90s'])
    expect(run.code).toBe(3)
    expect(of(eventsOf(run), 'agent.finished')).toMatchObject([{ class: 'rate-limit' }])
    expect(of(eventsOf(run), 'run.finished')).toMatchObject([
      { result: 'limit', reason: expect.stringContaining('slow down') },
    ])
  })

  it('count what subagents cost, of whom OpenCode says nothing', async () => {
    const errand = { description: 'Look', prompt: 'Do the side errand.', subagent_type: 'general' }
    const where = await openCodeProject({
      files,
      scenario: {
        name: 'subagent',
        roles: [{ name: 'side', match: 'Do the side errand' }, ...roles],
        script: {
          side: [[{ ...reply(say('Looked.')), usage: { input_tokens: 200_000, output_tokens: 40_000 } }]],
          worker: [[reply({ tool: 'task', input: errand }), ...step(1)]],
          judge: [[done('enough')]],
        },
      },
    })
    const run = await where.run([...brute, '--max-cost-usd', '1'])
    const [worker] = of(eventsOf(run), 'agent.finished')
    expect(worker?.tokens.input).toBeGreaterThanOrEqual(200_000)
    // Its own answers cost cents.
    expect(worker?.costUsd).toBeGreaterThan(1.2)
  })

  it('stop at what they may cost, and say what they did cost', async () => {
    const usage = { input_tokens: 100_000, output_tokens: 20_000 }
    const where = await openCodeProject({
      files,
      scenario: {
        ...twoSteps(),
        script: { worker: [step(1).map((each) => ({ ...each, usage }))], judge: [[notYet('x')]] },
      },
    })
    const run = await where.run([...brute, '--max-cost-usd', '1'])
    expect(run.code).toBe(3)
    const events = eventsOf(run)
    // The second answer passes the limit: yoke does not wait for the third.
    const [worker] = of(events, 'agent.finished')
    expect(worker).toMatchObject({
      ...{ role: 'worker', class: 'budget' },
      tokens: { input: 200_000, output: 40_000 },
    })
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = worker?.tokens ?? {}
    // Dollars for a million tokens, by the prices that OpenCode knows.
    const dollars = (3 * input + 15 * output + 0.3 * cacheRead + 3.75 * cacheWrite) / 1e6
    expect(worker?.costUsd).toBeCloseTo(dollars, 6)
    expect(of(events, 'run.finished')).toMatchObject([{ result: 'limit', iterations: 1 }])
    const cost = of(events, 'agent.finished').reduce((sum, each) => sum + each.costUsd, 0)
    expect(of(events, 'run.finished')[0]?.costUsd).toBeCloseTo(cost, 6)
    expect((await where.yoke(['status'])).stdout).toContain(`${cost.toFixed(2)}`)
  })
})

atNight('releases of OpenCode that differ', { timeout: 900_000 }, () => {
  /** Puts another release on PATH. */
  const install = async ({ home }: Where, version: string) => {
    const link = join(home, 'bin', 'opencode')
    await rm(link)
    await symlink(await ensureRelease('opencode', version, cache), link)
  }

  it('one that cannot read the store of a newer one (1.2.27): the run stops and says so', async () => {
    const where = await openCodeProject({ files, scenario: twoSteps() })
    expect(await where.run([...brute, '--max-iterations', '1'])).toMatchObject({ code: 3 })
    await install(where, '1.2.27')
    const run = await where.yoke(['resume', '--max-iterations', '5'])
    expect(run.code).toBe(4)
    expect(run.stdout).toContain('that of a newer OpenCode: update the installed one')
    await install(where, '1.18.33')
    expect(await where.run(['resume'])).toMatchObject({ code: 0 })
  })

  it('one that hangs on an unknown session (1.1.11): it is ended, and a fresh session gets to the end', async () => {
    const where = await openCodeProject({ files, scenario: twoSteps() })
    await install(where, '1.1.11')
    // The model server takes the second judge of this release for the first one.
    const checked = [...brute, '--judge', 'off', '--checks', 'test -e step-2']
    const stopped = await where.run(checked, (line, pid) => {
      // The trim comes next, and takes seconds.
      if (JSON.parse(line).type === 'notes.read') process.kill(pid, 'SIGINT')
    })
    expect(stopped).toMatchObject({ code: 130 })
    const [trim] = of(journalOf(where.project), 'trim.applied')
    const session = trim?.newSession ?? ''
    await rm((await findSessionFile(session, where.env)) ?? '')
    expect(await where.run(['resume'])).toMatchObject({ code: 0, stderr: '' })
    const events = journalOf(where.project)
    expect(of(events, 'session.stale')).toMatchObject([{ session }])
    expect(
      of(events, 'agent.finished')
        .filter(({ role }) => role === 'worker')
        .map((each) => each.class),
    ).toEqual(['ok', 'stale-session', 'ok'])
  })
})
