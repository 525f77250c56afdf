import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requireCheckpoints, requireSameBranch, switchToBranch } from '../../../src/run/git/repository.ts'
import { directives } from '../../helpers/events.ts'
import { git, put, repository } from '../../helpers/repository.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const decide = (project: string, input: Record<string, unknown> = {}, task = 'task.md') =>
  requireCheckpoints(project, directives(input), join(project, task))

describe('whether a run commits', () => {
  it('is off on a branch of the user, each on one of yoke with a clean tree', async () => {
    const project = await repository()
    expect(await decide(project)).toEqual({ commit: 'off' })
    expect(await decide(project, { branch: 'any/name' })).toEqual({ commit: 'each' })
    git(project, 'switch', '-q', '-c', 'yoke/x')
    expect(await decide(project)).toEqual({ commit: 'each' })
    expect(await decide(project, { commit: 'done' })).toEqual({ commit: 'done' })
    expect(await decide(project, { commit: 'off' })).toEqual({ commit: 'off' })
  })

  it('is off with a dirty tree, and says so on a branch of yoke; asked for by name it is refused', async () => {
    const project = await repository()
    put(project, { 'a file.txt': 'x' })
    expect(await decide(project)).toEqual({ commit: 'off' })
    expect(await decide(project, { branch: 'b' })).toMatchObject({
      commit: 'off',
      warning: expect.stringContaining('a file.txt'),
    })
    await expect(decide(project, { commit: 'each' })).rejects.toMatchObject({ code: 'E_DIRTY_TREE', exit: 2 })
  })

  it('takes `.loop/`, the task file and files elsewhere in the repository for no changes, but what is staged', async () => {
    const project = await repository({ 'pack/a.txt': 'a', 'other/b.txt': 'b' })
    put(project, { 'pack/.loop/notes.md': 'n', 'pack/t*[sk].md': 'Do it.', 'other/b.txt': 'changed' })
    expect(await decide(join(project, 'pack'), { commit: 'each' }, 't*[sk].md')).toEqual({ commit: 'each' })
    git(project, 'add', 'other')
    await expect(decide(join(project, 'pack'), { commit: 'each' }, 't*[sk].md')).rejects.toMatchObject({
      code: 'E_DIRTY_TREE',
      message: expect.stringContaining('other/b.txt'),
    })
  })

  it('wants a repository, a branch, a name, and something to go back to', async () => {
    const plain = await temporaryFolder()
    expect(await decide(plain)).toEqual({ commit: 'off' })
    for (const input of [{ commit: 'each' }, { branch: 'x' }])
      await expect(decide(plain, input)).rejects.toMatchObject({ code: 'E_NO_GIT', exit: 2 })
    const project = await repository()
    git(project, 'config', 'user.name', '')
    await expect(decide(project, { commit: 'each' })).rejects.toMatchObject({ code: 'E_GIT_IDENTITY' })
    git(project, 'config', 'user.name', 't')
    git(project, 'switch', '-q', '--detach')
    await expect(decide(project, { commit: 'each' })).rejects.toMatchObject({ code: 'E_GIT_DETACHED' })
    git(project, 'switch', '-q', 'main')
    await expect(decide(project, { 'on-failure': 'rollback' })).rejects.toMatchObject({
      code: 'E_BAD_DIRECTIVE',
    })
    git(project, 'update-ref', '-d', 'HEAD')
    git(project, 'rm', '-q', '--cached', 'a.txt')
    await expect(
      requireCheckpoints(
        project,
        directives({ commit: 'each', 'on-failure': 'rollback' }),
        join(project, 'a.txt'),
      ),
    ).rejects.toMatchObject({ code: 'E_NO_COMMIT' })
  })
})

describe('the branch of a run', () => {
  it('is made where it is not there, and checked out where it is', async () => {
    const project = await repository()
    const name = 'yoke/$(touch,pwned);`id`"\'&|<x>'
    await switchToBranch(project, name)
    expect(git(project, 'branch', '--show-current')).toBe(name)
    git(project, 'switch', '-q', 'main')
    await switchToBranch(project, name)
    await switchToBranch(project, name)
    expect(git(project, 'branch', '--show-current')).toBe(name)
    expect(existsSync(join(project, 'pwned'))).toBe(false)
    await requireSameBranch(project, directives({ branch: name }), undefined)
    await expect(requireSameBranch(project, directives({ branch: 'x' }), undefined)).rejects.toMatchObject({
      code: 'E_BRANCH',
    })
  })

  it('is not taken by force: what is in the way stays', async () => {
    const project = await repository()
    git(project, 'switch', '-q', '-c', 'x')
    put(project, { 'a.txt': 'theirs\n' })
    git(project, 'commit', '-qam', 'two')
    git(project, 'switch', '-q', 'main')
    put(project, { 'a.txt': 'mine\n' })
    await expect(switchToBranch(project, 'x')).rejects.toMatchObject({
      code: 'E_BRANCH',
      exit: 2,
      message: expect.stringContaining('a.txt'),
    })
    expect(git(project, 'diff', '--name-only')).toBe('a.txt')
  })
})
