import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  addWorktree,
  listWorktrees,
  projectOfRun,
  projectPlaces,
  settleWorktree,
  worktreeName,
} from '../../../src/run/git/worktree.ts'
import { git, initialise, put } from '../../helpers/repository.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const repository = async () => {
  const project = join(await temporaryFolder(), 're po $(touch pwned)')
  put(project, { 'pack/a.txt': 'a\n' })
  initialise(project)
  return project
}

const notes = { '.loop/.gitignore': '*\n!.gitignore\n!notes*.md\n', '.loop/notes.md': 'n', '.loop/lock': '' }

describe('a worktree', () => {
  it('lies beside the repository, on a branch that begins at HEAD', async () => {
    const project = await repository()
    const made = await addWorktree(project, { taskFile: 'My Täsk!.v2.md' })
    expect(made).toEqual({
      path: `${project}.worktrees/my-ta-sk-v2`,
      project: `${project}.worktrees/my-ta-sk-v2`,
      branch: 'yoke/my-ta-sk-v2',
    })
    expect(git(made.path, 'branch', '--show-current')).toBe(made.branch)
    expect(git(project, 'status', '--porcelain')).toBe('')
    const again = await addWorktree(project, { taskFile: 'My Täsk!.v2.md' })
    expect(again.branch).toBe('yoke/my-ta-sk-v2-2')
    expect(await listWorktrees(again.path)).toEqual([project, made.path, again.path])
  })

  it('of a folder in a repository has that folder, and is beside the main worktree also when made in another', async () => {
    const project = await repository()
    const first = await addWorktree(join(project, 'pack'), { taskFile: 'a.md', name: '$(id);&' })
    expect(first.project).toBe(`${project}.worktrees/$(id);&/pack`)
    const second = await addWorktree(first.project, { taskFile: 'b.md', branch: 'feature/b' })
    expect(second).toMatchObject({ project: `${project}.worktrees/b/pack`, branch: 'feature/b' })
    expect(await projectPlaces(second.project)).toEqual([
      join(project, 'pack'),
      first.project,
      second.project,
    ])
    expect(existsSync('pwned')).toBe(false)
  })

  it.each(['../up', 'a b', '--force', '.hidden', 'a..b', '', 'x.lock'])('is not named %j', async (name) => {
    const project = await repository()
    await expect(addWorktree(project, { taskFile: 'a.md', name })).rejects.toMatchObject({
      code: 'E_WORKTREE',
      exit: 2,
    })
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1)
  })

  it('is refused where its name is taken, without git and without a commit', async () => {
    const project = await repository()
    await addWorktree(project, { taskFile: 'a.md', name: 'x' })
    await expect(addWorktree(project, { taskFile: 'a.md', name: 'x' })).rejects.toMatchObject({
      code: 'E_WORKTREE',
    })
    const folder = await temporaryFolder()
    await expect(addWorktree(folder, { taskFile: 'a.md' })).rejects.toMatchObject({ code: 'E_NO_GIT' })
    git(folder, 'init', '-q')
    await expect(addWorktree(folder, { taskFile: 'a.md' })).rejects.toMatchObject({ code: 'E_NO_COMMIT' })
  })

  it('goes again with its branch when nothing came of it', async () => {
    const project = await repository()
    const { project: place } = await addWorktree(join(project, 'pack'), { taskFile: 'a.md' })
    put(place, notes)
    expect(await settleWorktree(place)).toContain('is gone again')
    expect(existsSync(`${project}.worktrees`)).toBe(false)
    expect(git(project, 'branch', '--format=%(refname:short)')).toBe('main')
    expect(await listWorktrees(project)).toEqual([project])
  })

  it('stays with commits, with changes, and where a user made it; so does a branch that was there before', async () => {
    const project = await repository()
    const committed = await addWorktree(project, { taskFile: 'a.md' })
    put(committed.path, notes)
    git(committed.path, 'commit', '-q', '--allow-empty', '-m', 'x')
    expect(await settleWorktree(committed.path)).toContain('stays: it has 1 commit')
    const changed = await addWorktree(project, { taskFile: 'b.md' })
    put(changed.path, { 'new.txt': 'x' })
    expect(await settleWorktree(changed.path)).toContain('not committed')
    git(project, 'worktree', 'add', '-q', '-b', 'own', `${project}-own`)
    expect(await settleWorktree(`${project}-own`)).toBeUndefined()
    expect(await settleWorktree(project)).toBeUndefined()
    git(project, 'branch', 'old')
    const { path } = await addWorktree(project, { taskFile: 'c.md', branch: 'old' })
    expect(await settleWorktree(path)).toContain('is gone again')
    expect(git(project, 'branch', '--list', 'old')).toContain('old')
    expect(await listWorktrees(project)).toEqual([project, `${project}-own`, committed.path, changed.path])
  })

  it('is where a run is looked for that is not here', async () => {
    const project = await repository()
    const { path } = await addWorktree(project, { taskFile: 'a.md' })
    put(path, { '.loop/runs/20261202-230000-abcd/events.jsonl': '' })
    expect(await projectOfRun(project, '20261202-23')).toBe(path)
    expect(await projectOfRun(project, '2025')).toBe(project)
    expect(await projectOfRun(project, undefined)).toBe(project)
  })
})

describe('the name after a task', () => {
  it.each([
    ['/x/task.md', 'task'],
    ['Fix the "bug" #12.md', 'fix-the-bug-12'],
    ['../--.md', 'task'],
    ['数据.md', 'task'],
  ])('%j is %j', (file, name) => {
    expect(worktreeName(file)).toBe(name)
  })
})
