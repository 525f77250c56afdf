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
