import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, initialise, put } from '../helpers/repository.ts'
import { yoke } from '../helpers/yoke.ts'
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
})
