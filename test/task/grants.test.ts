import { describe, expect, it } from 'vitest'
import { grantsOf } from '../../src/task/grants.ts'
import { type LayerName, resolveDirectives } from '../../src/task/resolve.ts'

const keysOf = (name: LayerName, values: Record<string, unknown>) =>
  grantsOf(resolveDirectives([{ name, where: 'x', values }])).map(({ key }) => key)

const powerful: readonly (readonly [string, Record<string, unknown>])[] = [
  ['checks', { checks: ['make'] }],
  ['on-finish', { 'on-finish': 'make' }],
  ['agent-args', { 'agent-args': ['--mcp-config', 'x'] }],
  ['permission-mode', { 'permission-mode': 'bypassPermissions' }],
  ['allowed-tools', { 'allowed-tools': ['Bash'] }],
  ['image', { image: 'evil' }],
]

describe('what a project brings along', () => {
  it.each(powerful)('asks for %s from front matter and project config', (key, values) => {
    expect(keysOf('front matter', values)).toEqual([key])
    expect(keysOf('project config', values)).toEqual([key])
  })

  it.each(powerful)(
    'is the word of the user on the command line and in the own config: %s',
    (_key, values) => {
      expect(keysOf('flag', values)).toEqual([])
      expect(keysOf('user config', values)).toEqual([])
    },
  )

  it('asks for mounts and variables of a container', () => {
    const values = { image: 'evil', mounts: ['/:/host'], env: ['SECRET_NAME'] }
    expect(keysOf('front matter', values)).toEqual(['image', 'mounts', 'env'])
  })

  it('asks for nothing where nothing runs and no guard goes', () => {
    expect(
      keysOf('front matter', {
        'permission-mode': 'plan',
        checks: [],
        'max-iterations': 3,
        model: 'opus',
        trim: 'off',
      }),
    ).toEqual([])
  })

  it('asks for another network than none or the default', () => {
    const asked = (network: string) => keysOf('front matter', { image: 'x', network })
    expect(asked('none')).toEqual(['image'])
    expect(asked('default')).toEqual(['image'])
    expect(asked('host')).toEqual(['image', 'network'])
  })

  it('asks for a permission mode that yoke does not know', () => {
    expect(keysOf('front matter', { 'permission-mode': 'yolo' })).toEqual(['permission-mode'])
  })
})
