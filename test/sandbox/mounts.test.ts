import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mountsFor } from '../../src/sandbox/mounts.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

/** A repository `main` with a commit, in a folder with other things in it. */
const place = async () => {
  const root = await temporaryFolder()
  const at = (name: string) => join(root, name)
  const git = (name: string, ...args: readonly string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'protocol.file.allow=always', ...args],
      { cwd: at(name), stdio: 'pipe' },
    )
  mkdirSync(at('main'))
  git('main', 'init', '--quiet')
  git('main', 'commit', '--quiet', '--allow-empty', '-m', 'first')
  const mounted = async (name: string, ...more: readonly string[]) => {
    const wanted = more.map((source) => ({ source: at(source), readonly: false }))
    return (await mountsFor(at(name), wanted)).map(({ source }) => source.slice(root.length + 1))
  }
  return { at, git, mounted }
}

const refused = { code: 'E_MOUNT' }

describe('what a container sees of the host', () => {
  it('is the project alone, with a repository in it or none', async () => {
    const { at, mounted } = await place()
    mkdirSync(at('plain'))
    expect(await mounted('main')).toEqual(['main'])
    expect(await mounted('plain')).toEqual(['plain'])
  })

  it('is its repository, too, when the project is a folder, a worktree or a submodule of it', async () => {
    const { at, git, mounted } = await place()
    mkdirSync(at('main/docs'))
    expect(await mounted('main/docs')).toEqual(['main/docs', 'main'])
    git('main', 'worktree', 'add', '--quiet', '../tree')
    expect(await mounted('tree')).toEqual(['tree', 'main'])
    mkdirSync(at('tree/docs'))
    expect(await mounted('tree/docs')).toEqual(['tree/docs', 'main', 'tree'])
    git('main', 'clone', '--quiet', '--bare', '.', '../bare.git')
    git('bare.git', 'worktree', 'add', '--quiet', '../bare-tree')
    // Not the folder around it, where anything may be.
    expect(await mounted('bare-tree')).toEqual(['bare-tree', 'bare.git'])
    git('main', 'submodule', '--quiet', 'add', at('bare.git'), 'sub')
    expect(await mounted('main/sub')).toEqual(['main/sub', 'main/.git/modules/sub'])
  })

  it('is no repository that does not name the project: the worker can write what the project says', async () => {
    const { at, git, mounted } = await place()
    mkdirSync(at('evil'))
    writeFileSync(at('evil/.git'), `gitdir: ${at('main/.git')}\n`)
    await expect(mounted('evil')).rejects.toMatchObject(refused)

    const fake = at('evil/fake')
    mkdirSync(fake)
    writeFileSync(join(fake, 'HEAD'), 'ref: refs/heads/master\n')
    writeFileSync(join(fake, 'commondir'), `${at('main/.git')}\n`)
    writeFileSync(join(fake, 'gitdir'), `${at('evil/.git')}\n`)
    writeFileSync(at('evil/.git'), `gitdir: ${fake}\n`)
    await expect(mounted('evil')).rejects.toMatchObject(refused)
    expect(await mounted('evil', 'main')).toEqual(['evil', 'main'])

    git('main', 'worktree', 'add', '--quiet', '../tree')
    renameSync(at('tree'), at('moved'))
    await expect(mounted('moved')).rejects.toMatchObject(refused)
    git('moved', 'worktree', 'repair')
    expect(await mounted('moved')).toEqual(['moved', 'main'])
  })
})
