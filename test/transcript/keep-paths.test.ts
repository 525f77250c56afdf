import { describe, expect, it } from 'vitest'
import { keepMatcher } from '../../src/transcript/keep-paths.ts'

const matches = (entry: string, path: string, ignoresCase: boolean) =>
  keepMatcher([entry], '/Work/Project', (each) => each, ignoresCase)(path).length > 0

describe('KEEP entries on a file system that ignores case', () => {
  it.each([
    ['readme.md', '/Work/Project/README.md'],
    ['src', '/work/project/Src/a.ts'],
    ['SRC/**/*.TS', '/Work/Project/src/core/a.ts'],
    ['/work/project/*.md', '/Work/Project/README.md'],
    ['STRASSE/Ä.ts', '/Work/Project/strasse/a\u0308.ts'],
  ])('%s names %s', (entry, path) => {
    expect(matches(entry, path, true)).toBe(true)
    expect(matches(entry, path, false)).toBe(false)
  })
})

it('takes a glob of 4,096 characters, and a longer one for a name', () => {
  const glob = (length: number) => `${'*'.repeat(length - 2)}.a`
  expect(matches(glob(4096), '/Work/Project/x.a', false)).toBe(true)
  expect(matches(glob(4097), '/Work/Project/x.a', false)).toBe(false)
})

it('takes a glob from the project by either of its names', () => {
  const realPath = (path: string) => path.replace(/^\/link/, '/real')
  const names = keepMatcher(['*.md'], '/link', realPath)
  expect(names('/real/a.md')).toHaveLength(1)
  expect(names('/link/a.md')).toHaveLength(1)
  expect(names('/other/a.md')).toHaveLength(0)
})
