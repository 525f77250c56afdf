import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, initialise, put } from '../helpers/repository.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { notes, place, reply, roles, say, verdict, write } from './project.ts'

const scenario = {
  name: 'worktree',
  roles,
  script: {
    worker: [[reply(write('b.txt', 'b\n')), reply(notes('KEEP: none\nCOMMIT: Add b\n')), reply(say('Ok.'))]],
    judge: [[reply(verdict('done', 'There.')), reply(say('yes'))]],
  },
}

describe.skipIf(process.platform === 'win32')('yoke brute --worktree with the real Claude Code', () => {
  it('works beside the repository, and keeps the worktree with its commits', {
    timeout: 60_000,
  }, async () => {
    const { project, env } = await place({
      files: { 'a.txt': 'a\n' },
      scenario,
      cwd: '{{project}}.worktrees/t',
    })
    initialise(project)
    put(project, { 't.md': 'Write b.txt.', 'a.txt': 'mine\n' })
    const run = await yoke(['brute', 't.md', '--worktree'], { cwd: project, env })
    expect(run.stderr).toMatch(/worktree .*\.worktrees\/t on the branch yoke\/t stays: it has 1 commit/)
    expect(run.code).toBe(0)
    const tree = `${project}.worktrees/t`
    expect(git(project, 'log', '--format=%s', 'yoke/t')).toBe('Add b\nfirst')
    expect(git(tree, 'show', 'HEAD:b.txt')).toBe('b')
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('mine\n')
    expect(existsSync(join(project, '.loop'))).toBe(false)
    expect(git(project, 'branch', '--show-current')).toBe('main')

    const listed = await yoke(['runs', '--all', '--json'], { cwd: project, env })
    const [row] = listed.stdout.trim().split('\n')
    const { run: id, project: where } = JSON.parse(row ?? '')
    expect(where).toBe(tree)
    const report = await yoke(['report', id, '--json'], { cwd: project, env })
    expect(JSON.parse(report.stdout)).toMatchObject({
      result: 'done',
      iterations: [{ commit: { files: 1 } }],
    })

    // What comes to nothing leaves nothing.
    put(project, { 'bad.md': '---\nbranch: yoke/t\n---\nNo.' })
    const refused = await yoke(['brute', 'bad.md', '--worktree'], { cwd: project, env })
    expect([refused.code, existsSync(`${project}.worktrees/bad`)]).toEqual([2, false])
    const failed = await yoke(['brute', 't.md', '--worktree', 'u', '--image', 'x:y'], {
      cwd: project,
      env: { ...env, PATH: dirname(execFileSync('which', ['git'], { encoding: 'utf8' })) },
    })
    expect(failed.stderr).toMatch(/worktree .* is gone again[\s\S]*E_NO_/)
    expect(failed.code).not.toBe(0)
    expect(existsSync(`${project}.worktrees/u`)).toBe(false)
    expect(git(project, 'branch', '--format=%(refname:short)')).toBe('main\nyoke/t')
  })
  it.runIf(process.env['YOKE_NIGHTLY'])(
    'goes on after a kill -9 in the middle of a commit, from the main folder by its id',
    { timeout: 60_000 },
    async () => {
      const { project, env } = await place({
        files: { 'a.txt': 'a\n' },
        scenario,
        cwd: '{{project}}.worktrees/t',
      })
      initialise(project)
      put(project, { 't.md': 'Write b.txt.' })
      put(project, {
        '.git/hooks/pre-commit':
          '#!/bin/sh\n[ -e "$GIT_DIR/../../seen" ] && exit 0\ntouch "$GIT_DIR/../../seen"\nsleep 2\n',
      })
      chmodSync(join(project, '.git/hooks/pre-commit'), 0o755)
      let pid = 0
      const seen = setInterval(() => {
        if (pid !== 0 && existsSync(join(project, '.git/seen'))) process.kill(pid, 'SIGKILL')
      }, 20)
      const killed = await yoke(['brute', 't.md', '--worktree', '--json'], {
        cwd: project,
        env,
        onLine: (_line, id) => {
          pid = id
        },
      })
      clearInterval(seen)
      expect(killed.code).toBeNull()
      const [begin] = eventsOf(killed)
      const id = begin !== undefined && 'run' in begin ? begin.run : ''
      const resumed = await yoke(['resume', id, '--json'], { cwd: project, env })
      expect(resumed.code).toBe(0)
      expect(git(project, 'log', '--format=%s', 'yoke/t')).toBe('Add b\nfirst')
      const events = eventsOf(resumed)
      expect(events.filter(({ type }) => type === 'check.failed' || type === 'iteration.started')).toEqual([])
      expect(events.filter(({ type }) => type === 'commit.made')).toHaveLength(1)
    },
  )
})
