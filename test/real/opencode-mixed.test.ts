import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventsOf } from '../helpers/yoke.ts'
import * as opencode from './opencode-project.ts'
import * as claude from './project.ts'

const { model, openCodeProject } = opencode
const { of, reply, say } = claude

const files = { 'a.txt': 'one\n', 'task.md': 'Make a.txt say two.\n' }

/** The worker makes the change by the names that its agent has for tools; the judge looks in the same way. */
const scenario = (worker: typeof opencode | typeof claude, judge: typeof opencode | typeof claude) => ({
  name: 'mixed agents',
  roles: claude.roles,
  script: {
    worker: [
      [
        reply(worker.read('a.txt')),
        reply(worker.edit('a.txt', 'one', 'two'), worker.notes('Changed.\n\nKEEP: a.txt\n')),
        reply(say('Now a.txt says two.')),
      ],
    ],
    judge: [
      [
        reply(judge.read('a.txt')),
        reply(
          judge === claude
            ? claude.verdict('done', 'a.txt says two.')
            : say('It does.\n\nVERDICT: done, I looked'),
        ),
      ],
    ],
  },
})

describe('worker and judge of different agents', { timeout: 300_000 }, () => {
  const pairs = [
    ['claude', 'opencode', ['--model', 'claude-sonnet-4-5', '--judge-model', model]],
    ['opencode', 'claude', ['--model', model, '--judge-model', 'claude-sonnet-4-5']],
  ] as const

  it.each(process.env['YOKE_NIGHTLY'] ? pairs : pairs.slice(0, 1))(
    '%s works, %s judges',
    async (agent, other, models) => {
      const tools = { claude, opencode }
      const { project, server, run, yoke } = await openCodeProject({
        files,
        scenario: scenario(tools[agent], tools[other]),
      })
      const end = await run(['brute', 'task.md', '--agent', agent, '--judge-agent', other, ...models])
      expect(end).toMatchObject({ code: 0, stderr: '' })
      expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('two\n')
      const events = eventsOf(end)
      expect(of(events, 'run.started')).toMatchObject([{ agent, directives: { 'judge-agent': other } }])
      expect(of(events, 'agent.finished').map(({ role, class: kind }) => [role, kind])).toEqual([
        ['worker', 'ok'],
        ['judge', 'ok'],
      ])
      expect(of(events, 'trim.applied')).toMatchObject([{ kept: ['a.txt'] }])
      expect(of(events, 'judge.verdict')).toMatchObject([{ verdict: 'done' }])

      // Each names its tools in its own way, in what it is offered and in what is shown of it.
      const offered = (role: string) =>
        server.requests
          .filter((each) => each.role === role)
          .flatMap(({ body }) =>
            [...JSON.stringify(body).matchAll(/"name":"(read)"/gi)].map(([, name]) => name),
          )
      const names = { claude: 'Read', opencode: 'read' }
      expect(new Set(offered('worker'))).toEqual(new Set([names[agent]]))
      expect(new Set(offered('judge'))).toEqual(new Set([names[other]]))
      const logs = await yoke(['logs'])
      expect(logs.stdout).toMatch(
        new RegExp(
          `── worker[\\s\\S]*${names[agent]} +a\\.txt[\\s\\S]*── judge[\\s\\S]*${names[other]} +a\\.txt`,
        ),
      )
    },
  )
})
