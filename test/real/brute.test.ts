import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { messageTexts, prefixBytes, toolResults, toolUses } from '../../src/probe/request-view.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import {
  edit,
  journalOf,
  notes,
  place,
  read,
  reply,
  roles,
  say,
  think,
  twoTurns,
  verdict,
} from './project.ts'

const files = {
  'task.md': '---\nchecks: grep -q two a.txt\n---\nMake a.txt say two and b.txt say three.\n',
  'a.txt': 'one\nkept line\n',
  'b.txt': 'nothing yet\n',
  'c.txt': 'a file that is read once and not needed again\n',
}

/** A check fails, then the judge objects, then it is done. */
const scenario = {
  name: 'three iterations',
  roles,
  script: {
    worker: [
      [
        reply(think('Three files.'), say('I read.'), read('a.txt'), read('b.txt'), read('c.txt')),
        reply(notes('Read all.\n\nKEEP: a.txt\n')),
        reply(say('Done, I say.')),
      ],
      [
        reply(think('The check is right.'), edit('a.txt', 'one', 'two'), read('.loop/notes.md')),
        reply(notes('a.txt is changed.\n\nKEEP: a.txt, b.txt\n')),
        reply(say('Now a.txt says two.')),
      ],
      [
        reply(read('b.txt')),
        reply(edit('b.txt', 'nothing yet', 'three')),
        reply(notes('All changed.\n\nKEEP: a.txt b.txt\n')),
        reply(say('Now b.txt says three.')),
      ],
    ],
    judge: [
      [reply(read('b.txt')), reply(verdict('continue', 'b.txt does not say three.')), reply(say('no'))],
      [reply(read('b.txt')), reply(verdict('done', 'Both files are right.')), reply(say('yes'))],
    ],
  },
}

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type)
const of = <T extends RunEvent['type']>(events: readonly object[], type: T) =>
  events.filter((event): event is RunEvent & { type: T } => 'type' in event && event.type === type)

describe('yoke brute with the real Claude Code', async () => {
  it('spares a trim that would cost more than it saves, and says so', { timeout: 60_000 }, async () => {
    const { files: own, worker, judge } = twoTurns()
    const { project, server, env } = await place({
      files: { ...own, 'a.txt': 'One of many lines, all of which are needed again.\n'.repeat(600) },
      scenario: { name: 'all is kept', roles, repeat: true, script: { worker: [worker], judge } },
    })
    const run = await yoke(['brute', 'task.md', '--trust', '--plain'], { cwd: project, env })
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('trim: skipped, it would cost more than it saves')
    const [skipped] = of(journalOf(project), 'trim.skipped')
    expect(skipped?.tokensAfter).toBeGreaterThan(0.9 * (skipped?.tokensBefore ?? 0))
    const second = server.requests.find((each) => each.role === 'worker' && each.turn === 1)
    expect(second && toolUses(second).map(({ name }) => name)).toEqual(['Read', 'Write', 'Write'])
  })

  it('works in one session, trimmed between iterations, until the judge says done', {
    timeout: 60_000,
  }, async () => {
    const { project, home, server, env } = await place({ files, scenario })
    const run = await yoke(
      ['brute', 'task.md', '--trust', '--max-iterations', '5', '--json', '--model', 'claude-sonnet-4-5'],
      {
        cwd: project,
        env,
      },
    )
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('two\nkept line\n')
    expect(readFileSync(join(project, 'b.txt'), 'utf8')).toBe('three\n')

    const events = eventsOf(run)
    expect(of(events, 'iteration.started')).toHaveLength(3)
    expect(of(events, 'check.failed')).toHaveLength(1)
    expect(of(events, 'judge.verdict').map((event) => event.verdict)).toEqual(['continue', 'done'])
    // The notes are kept once they were read: else Claude Code would refuse to write them in the next turn.
    expect(of(events, 'trim.applied').map(({ kept }) => kept.toSorted())).toEqual([
      ['a.txt'],
      ['.loop/notes.md', 'a.txt'],
      ['.loop/notes.md', 'a.txt', 'b.txt'],
    ])
    expect(readFileSync(join(project, '.loop/notes.md'), 'utf8')).toContain('All changed.')
    expect(of(events, 'run.finished')).toMatchObject([{ result: 'done', exitCode: 0, iterations: 3 }])
    expect(
      new Set(
        of(events, 'agent.finished').flatMap(({ role, session }) => (role === 'worker' ? [session] : [])),
      ).size,
    ).toBe(1)

    const journal = readFileSync(
      join(project, '.loop/runs', readdirSync(join(project, '.loop/runs'))[0] ?? '', 'events.jsonl'),
      'utf8',
    )
    const stored = journal
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(types(stored)).toEqual(
      types(events).filter((type) => !/^agent\.(said|tool|usage|retrying)$/.test(type)),
    )

    // What the CLI sent, as the server saw it.
    const turns = [0, 1, 2].map((turn) =>
      server.requests.filter((each) => each.role === 'worker' && each.turn === turn),
    )
    const [first, second, third] = turns.map((requests) => requests[0])
    const last = turns[0]?.at(-1)
    if (!first || !second || !third || !last) throw new Error('a turn is missing')

    const results = (request: typeof first) => [...toolResults(request).values()].join('\n')
    expect(results(second)).toContain('kept line')
    expect(results(second)).not.toContain('a file that is read once')
    expect(toolUses(second).map(({ name }) => name)).toEqual(['Read'])
    // The worker changed a.txt after it had read it: it is shown the file of now.
    expect(results(third)).toContain('two')
    expect(results(third)).not.toContain('one')
    for (const request of [second, third]) {
      const texts = messageTexts(request).map(({ text }) => text)
      expect(texts.join('\n')).not.toContain('No response requested')
      expect(JSON.stringify(request.body)).not.toContain('Three files.')
      expect(texts.filter((text) => text.includes('Make a.txt say two'))).toHaveLength(1)
      expect(prefixBytes(request, 1)).toBe(prefixBytes(first, 1))
    }
    expect(messageTexts(second).at(-1)?.text).toContain('grep -q two a.txt')
    expect(messageTexts(third).at(-1)?.text).toContain('b.txt does not say three.')

    // The judge never sees the worker's words, and leaves no session.
    const judged = server.requests.filter(({ role }) => role === 'judge')
    expect(judged.length).toBeGreaterThan(3)
    expect(JSON.stringify(judged.map(({ body }) => body))).not.toMatch(/Done, I say|Now a\.txt says|KEEP:/)
    const sessions = execFileSync('find', [home, '-name', '*.jsonl', '-path', '*projects*'])
      .toString()
      .trim()
      .split('\n')
    expect(sessions).toHaveLength(1)
  })

  it('leaves the session as it is with YOKE_DISABLE_SESSION_TRIM=1, and says so', {
    timeout: 60_000,
  }, async () => {
    const { project, server, env } = await place({ files, scenario, env: { YOKE_DISABLE_SESSION_TRIM: '1' } })
    const run = await yoke(['brute', 'task.md', '--trust', '--json'], { cwd: project, env })
    expect(run.code).toBe(0)
    expect(of(eventsOf(run), 'trim.skipped')).toHaveLength(3)
    const third = server.requests.find((each) => each.role === 'worker' && each.turn === 2)
    expect(toolUses(third ?? {}).map(({ name }) => name)).toEqual([
      'Read',
      'Read',
      'Read',
      'Write',
      'Edit',
      'Read',
      'Write',
    ])
  })
})
