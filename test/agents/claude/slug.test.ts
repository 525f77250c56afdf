import { describe, expect, it } from 'vitest'
import { slug } from '../../../src/agents/claude/slug.ts'

const long = `/${'a'.repeat(250)}`

describe('the slug of a project', () => {
  it.each([
    ['/work/main', '-work-main'],
    ['/home/me/my project_v1.2', '-home-me-my-project-v1-2'],
    ['C:\\Users\\me', 'C--Users-me'],
    ['/größe/naïve', '-gr--e-na-ve'],
    // A character outside the basic plane is two UTF-16 units.
    ['/a😀b', '-a--b'],
    ['/', '-'],
    // 200 units stand as they are.
    [`/${'a'.repeat(199)}`, `-${'a'.repeat(199)}`],
  ])('%s is %s', (path, expected) => {
    expect(slug(path)).toBe(expected)
  })

  it('is the same for a path in composed and decomposed characters', () => {
    expect(slug('/gro\u0308ße')).toBe(slug('/größe'))
  })

  it('of more than 200 units is cut and gets a hash of the path itself', () => {
    expect(slug(long)).toMatch(/^-a{199}-[0-9a-z]+$/)
    expect(slug(`${long}/x.y`)).not.toBe(slug(`${long}/x-y`))
  })
})
