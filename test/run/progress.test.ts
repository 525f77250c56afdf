import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { progressFingerprint } from '../../src/run/progress.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: folder,
    stdio: 'pipe',
  })

const repository = async () => {
  const folder = await temporaryFolder()
  git(folder, 'init', '-q')
  await writeFile(join(folder, 'a.txt'), 'one')
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'first')
  return folder
}

describe.each([
  ['a git repository', repository],
  ['a plain folder', temporaryFolder],
])('progress in %s', (_name, make) => {
  it('is the same when nothing changed', async () => {
    const folder = await make()
    expect(await progressFingerprint(folder, 'n')).toBe(await progressFingerprint(folder, 'n'))
  })

  it.each([
    ['a new file', (folder: string) => writeFile(join(folder, 'new.txt'), 'x')],
    ['a changed file', (folder: string) => writeFile(join(folder, 'a.txt'), 'longer than before')],
    [
      'a file in a new folder',
      (folder: string) => mkdir(join(folder, 'd')).then(() => writeFile(join(folder, 'd/x'), 'x')),
    ],
  ])('is seen in %s', async (_what, change) => {
    const folder = await make()
    const before = await progressFingerprint(folder, 'n')
    await change(folder)
    expect(await progressFingerprint(folder, 'n')).not.toBe(before)
  })

  it('is seen in the notes, not in the files of yoke', async () => {
    const folder = await make()
    const before = await progressFingerprint(folder, 'n')
    expect(await progressFingerprint(folder, 'm')).not.toBe(before)
    await mkdir(join(folder, '.loop'))
    await writeFile(join(folder, '.loop/x'), 'x')
    expect(await progressFingerprint(folder, 'n')).toBe(before)
  })
})

it('is seen in a commit that leaves the tree as it was (frankbria/ralph-claude-code#141)', async () => {
  const folder = await repository()
  await writeFile(join(folder, 'b.txt'), 'two')
  const before = await progressFingerprint(folder, 'n')
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'second')
  expect(await progressFingerprint(folder, 'n')).not.toBe(before)
})

it.each(['a file that had changed before', 'ä name with "quotes"'])(
  'is seen in a folder of a repository, in %s',
  async (name) => {
    const folder = join(await repository(), 'packages', 'one')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, name), 'two')
    git(folder, 'add', '.')
    const before = await progressFingerprint(folder, 'n')
    await writeFile(join(folder, name), 'three')
    expect(await progressFingerprint(folder, 'n')).not.toBe(before)
    git(folder, 'commit', '-qam', 'second')
    await writeFile(join(folder, name), 'four')
    const changed = await progressFingerprint(folder, 'n')
    await writeFile(join(folder, name), 'five and more')
    expect(await progressFingerprint(folder, 'n')).not.toBe(changed)
  },
)

it('is not seen in what other people do', async () => {
  const origin = await repository()
  const folder = await temporaryFolder()
  git(origin, 'clone', '-q', origin, folder)
  const before = await progressFingerprint(folder, 'n')
  await writeFile(join(origin, 'theirs.txt'), 'x')
  git(origin, 'add', '.')
  git(origin, 'commit', '-qm', 'theirs')
  git(folder, 'fetch', '-q')
  expect(await progressFingerprint(folder, 'n')).toBe(before)
})
