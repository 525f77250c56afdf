import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, initialise, put } from '../helpers/repository.ts'
import { yoke } from '../helpers/yoke.ts'
import { edit, notes, place, read, reply, roles, say, verdict, write } from './project.ts'

/** A hook refuses the first message; the second turn breaks the check and is taken back; the third one is done. */
const scenario = {
  name: 'commits',
  roles,
  script: {
    worker: [
      [
        reply(read('a.txt')),
        reply(edit('a.txt', 'one', 'two')),
        reply(notes('KEEP: a.txt\n\nCOMMIT: Count "$(id)" to two\n')),
        reply(say('Two.')),
      ],
      [reply(notes('KEEP: a.txt\n\nCOMMIT: feat: count to two\n- a.txt: two\n')), reply(say('Renamed.'))],
      [reply(write('bad.txt', 'bad\n')), reply(say('Oh.'))],
      [
        reply(write('b.txt', 'three\n')),
        reply(notes('KEEP: a.txt\nCOMMIT: feat: three\n')),
        reply(say('Ok.')),
      ],
    ],
    judge: [
      [reply(verdict('continue', 'b.txt is missing.')), reply(say('no'))],
      [reply(verdict('done', 'All there.')), reply(say('yes'))],
    ],
  },
}

describe.skipIf(process.platform === 'win32')('yoke brute --commit with the real Claude Code', () => {
  it('commits what passed, lets a hook object, and takes back what failed', { timeout: 60_000 }, async () => {
    const files = { 'a.txt': 'one\n' }
    const { project, env, server } = await place({ files, scenario, name: 'pro ject' })
    initialise(project)
    put(project, {
      'task.md': '---\nchecks: test ! -e bad.txt\non-failure: rollback\n---\nCount to three.\n',
      '.git/hooks/commit-msg': '#!/bin/sh\ngrep -q "^feat" "$1" || { echo "say feat:"; exit 1; }\n',
    })
    chmodSync(join(project, '.git/hooks/commit-msg'), 0o755)
    const run = await yoke(['brute', 'task.md', '--trust', '--branch', 'yoke/count'], { cwd: project, env })
    expect(run.stderr).toBe('')
    expect(run.stdout).toContain('done')
    expect(run.code).toBe(0)
    expect(git(project, 'branch', '--show-current')).toBe('yoke/count')
    expect(git(project, 'log', '--format=%s')).toBe('feat: three\nfeat: count to two\nfirst')
    expect(git(project, 'status', '--porcelain', '--', ':!.loop')).toBe('?? task.md')
    const [ref] = git(project, 'for-each-ref', '--format=%(refname)', 'refs/yoke').split('\n')
    expect(ref).toMatch(/^refs\/yoke\/rollback\/.*\/3$/)
    expect(git(project, 'show', `${ref}:bad.txt`)).toBe('bad')
    expect(run.stdout).toContain(`git cherry-pick ${ref}`)
    const told = (turn: number, text: string) =>
      server.requests.some((each) => each.turn === turn && JSON.stringify(each.body).includes(text))
    expect(told(1, 'say feat:')).toBe(true)
    expect(told(3, `git diff HEAD ${ref}`)).toBe(true)

    const report = await yoke(['report', '--json'], { cwd: project, env })
    expect(JSON.parse(report.stdout).iterations).toMatchObject([
      { commit: null },
      { commit: { subject: 'feat: count to two', files: 1, insertions: 1, deletions: 1 } },
      { commit: null, rollback: { ref, files: 1, insertions: 1 } },
      { commit: { commit: git(project, 'rev-parse', 'HEAD'), subject: 'feat: three' } },
    ])
  })
})
