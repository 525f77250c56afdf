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

/** Each task has a worker and a judge of its own: they work at the same time. */
const scenario = {
  name: 'several',
  roles: names.flatMap((name) => [
    { name: `judge-${name}`, match: `You are the judge of a task[\\s\\S]*Task ${name}\\.` },
    { name: `worker-${name}`, match: `\\.loop/notes\\.md[\\s\\S]*Task ${name}\\.` },
  ]),
  script: Object.fromEntries(
    names.flatMap((name) => [
      [
        `worker-${name}`,
        [
          [
            reply(file(name, `${name}.txt`, `${name}\n`)),
            reply(file(name, '.loop/notes.md', `KEEP: none\nCOMMIT: Add ${name}\n`)),
            reply(say('Ok.')),
          ],
        ],
      ],
      [`judge-${name}`, [[reply(verdict(name === 'c' ? 'blocked' : 'done', 'Seen.')), reply(say('said'))]]],
    ]),
  ),
}

describe.skipIf(process.platform === 'win32')(
  'yoke brute with several tasks and the real Claude Code',
  () => {
    it('works on two at a time in worktrees, and leaves branches', { timeout: 90_000 }, async () => {
      const { project, env } = await place({ files: { 'x.txt': 'x\n' }, scenario })
      initialise(project)
      put(project, Object.fromEntries(names.map((name) => [`${name}.md`, `Task ${name}.\n`])))
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
  },
)
