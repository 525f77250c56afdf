import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageTexts, prefixBytes, toolResults, toolUses } from '../../src/probe/request-view.ts'
import { eventsOf } from '../helpers/yoke.ts'
import { edit, model, notes, openCodeProject, read, write } from './opencode-project.ts'
import { journalOf, of, reply, roles, say, think } from './project.ts'

const files = {
  'task.md':
    '---\nagent: opencode\nchecks: grep -q two a.txt\n---\nMake a.txt say two and b.txt say three.\n',
  'a.txt': 'one\nkept line\n',
  'b.txt': 'nothing yet\n',
  'c.txt': 'a file that is read once and not needed again\n',
}

/** A check fails, then it is done. */
const scenario = {
  name: 'two iterations',
  roles,
  script: {
    worker: [
      [
        reply(think('Three files.'), say('I read.'), read('a.txt'), read('b.txt'), read('c.txt')),
        reply(notes('Read all.\n\nKEEP: a.txt\n')),
        reply(say('Done, I say.')),
      ],
      [
        reply(think('The check is right.'), edit('a.txt', 'one', 'two')),
        reply(read('b.txt')),
        reply(edit('b.txt', 'nothing yet', 'three')),
        reply(notes('Both are changed.\n\nKEEP: a.txt, b.txt\n')),
        reply(say('Now b.txt says three.')),
      ],
    ],
    judge: [[reply(read('b.txt')), reply(say('Both are right.\n\nVERDICT: done, I looked'))]],
  },
}

describe('yoke brute with the real OpenCode', () => {
  it('works in one line of sessions, trimmed between iterations, until the judge says done', {
    timeout: 600_000,
  }, async () => {
    const { project, home, server, run: start } = await openCodeProject({ files, scenario })
    const run = await start(['brute', 'task.md', '--trust', '--max-iterations', '5', '--model', model])
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('two\nkept line\n')
    expect(await readFile(join(project, 'b.txt'), 'utf8')).toBe('three\n')

    const events = eventsOf(run)
    expect(of(events, 'iteration.started')).toHaveLength(2)
    expect(of(events, 'check.failed')).toHaveLength(1)
    expect(of(events, 'judge.verdict').map((event) => event.verdict)).toEqual(['done'])
    expect(of(events, 'run.finished')).toMatchObject([{ result: 'done', exitCode: 0, iterations: 2 }])
    expect(of(events, 'drift.found')).toEqual([])
    const trims = of(events, 'trim.applied')
    const workers = of(events, 'agent.finished').filter(({ role }) => role === 'worker')
    expect(workers.map(({ session }) => session)).toEqual(trims.map(({ session }) => session))
    expect(trims[0]?.newSession).toBe(workers[1]?.session)
    expect(trims[1]?.refreshed).toEqual(['a.txt', 'b.txt'])

    const turns = [0, 1].map((turn) =>
      server.requests.filter((each) => each.role === 'worker' && each.turn === turn),
    )
    const [first, second] = turns.map((requests) => requests[0])
    if (!first || !second) throw new Error('a turn is missing')
    const results = (request: typeof first) => [...toolResults(request).values()].join('\n')
    expect(toolUses(second).map(({ name }) => name)).toEqual(['read'])
    expect(results(second)).toContain('kept line')
    const texts = messageTexts(second).map(({ text }) => text)
    expect(JSON.stringify(second.body).includes('Three files.')).toBe(false)
    expect(texts.filter((text) => text.includes('Make a.txt say two'))).toHaveLength(1)
    expect(prefixBytes(second, 1)).toBe(prefixBytes(first, 1))
    expect(texts.at(-1)).toContain('grep -q two a.txt')

    // The judge never sees the worker's words.
    const judged = JSON.stringify(
      server.requests.filter(({ role }) => role === 'judge').map(({ body }) => body),
    )
    expect(/Done, I say|Now b\.txt says|KEEP:/.exec(judged)).toBeNull()
    const backups = await readdir(
      join(project, '.loop/runs', (await readdir(join(project, '.loop/runs')))[0] ?? '', 'backups'),
    )
    expect(backups.filter((name) => name.endsWith('.bak'))).toHaveLength(2)

    const status = JSON.parse((await start(['status'])).stdout)
    expect(status).toMatchObject({ state: 'done', agent: 'opencode', session: trims[1]?.newSession })
    const report = JSON.parse((await start(['report'])).stdout)
    expect(report).toMatchObject({ agent: 'opencode', result: 'done' })
    expect(report.iterations).toHaveLength(2)

    const before = await contents(home)
    const doctor = JSON.parse((await start(['doctor'])).stdout)
    const row = (id: string) => doctor.rows.filter((each: { id: string }) => each.id === id)
    expect(row('release')).toContainEqual(
      expect.objectContaining({ status: 'ok', found: 'Trims were verified on opencode 1.18.33.' }),
    )
    expect(row('drift')).toMatchObject([
      {
        status: 'ok',
        found: `Session ${trims[1]?.newSession}, written by 1.18.33, is in a known format.`,
      },
    ])
    expect(await contents(home)).toEqual(before)
  })

  it('goes on in the same session when a trim would cost more than it saves', {
    timeout: 600_000,
  }, async () => {
    const { run: start } = await openCodeProject({
      files: {
        'task.md': '---\nagent: opencode\nchecks: test -f step-2\njudge: off\n---\nLeave two files.\n',
        'a.txt': 'One of many lines, all of which are needed again.\n'.repeat(600),
      },
      scenario: {
        name: 'all is kept',
        roles,
        script: {
          worker: [1, 2].map((step) => [
            reply(read('a.txt')),
            reply(write(`step-${step}`, 'x')),
            reply(notes('KEEP: a.txt\n')),
            reply(say('Went on.')),
          ]),
          judge: [],
        },
      },
    })
    const run = await start(['brute', 'task.md', '--trust', '--model', model])
    expect(run.code).toBe(0)
    const events = eventsOf(run)
    const [skipped] = of(events, 'trim.skipped')
    expect(skipped?.reason).toContain('would cost more than it saves')
    expect(skipped?.tokensAfter).toBeGreaterThan(0.9 * (skipped?.tokensBefore ?? 0))
    const sessions = of(events, 'agent.finished').map(({ session }) => session)
    expect(sessions).toEqual([skipped?.session, skipped?.session])
  })

  it('begins anew when the store has lost what the session began with, of which OpenCode says nothing', {
    timeout: 600_000,
  }, async () => {
    const turn = (step: number) => [reply(write(`step-${step}`, 'x')), reply(say('Went on.'))]
    const where = await openCodeProject({
      files: {
        'task.md':
          '---\nagent: opencode\nchecks: test -f step-2\njudge: off\ntrim: off\n---\nLeave two files.\n',
      },
      scenario: { name: 'lost beginning', roles, script: { worker: [turn(1), turn(2)], judge: [] } },
    })
    const run = ['--trust', '--model', model, '--max-iterations']
    expect(await where.run(['brute', 'task.md', ...run, '1'])).toMatchObject({ code: 3, stderr: '' })
    const [first] = of(journalOf(where.project), 'session.opened')
    await where.opencode(['db', `DELETE FROM message WHERE session_id = '${first?.session}'`])
    expect(await where.run(['resume', ...run, '2'])).toMatchObject({ code: 0, stderr: '' })
    expect(of(journalOf(where.project), 'session.stale')).toMatchObject([
      {
        session: first?.session,
        reason: `OpenCode's store has lost all messages of the session ${first?.session}`,
      },
    ])
    const second = where.server.requests.find(({ role, turn }) => role === 'worker' && turn === 1)
    const prompts = messageTexts(second ?? {}).map(({ text }) => text)
    expect(prompts.join('\n')).toContain('Leave two files.')
  })
})

/** The files of OpenCode's store, with the times at which they were changed. */
const contents = async (home: string) => {
  const folder = join(home, '.local/share/opencode')
  const names = (await readdir(folder)).filter((name) => name.startsWith('opencode.db'))
  return Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).mtimeMs]))
}
