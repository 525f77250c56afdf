import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  aboutDirective,
  asInput,
  DirectivesSchema,
  defaultOf,
  directiveKeys,
} from '../../src/task/directives.ts'
import { type Layer, resolveDirectives } from '../../src/task/resolve.ts'

const flag = (values: Layer['values']): Layer => ({ name: 'flag', where: '', values })
const matter = (values: Layer['values'], lines?: Record<string, number>): Layer => ({
  name: 'front matter',
  where: 'task.md',
  values,
  ...(lines === undefined ? {} : { lines }),
})
const project = (values: Layer['values']): Layer => ({
  name: 'project config',
  where: '.loop/config.yaml',
  values,
})
const user = (values: Layer['values']): Layer => ({
  name: 'user config',
  where: '/home/me/config.yaml',
  values,
})

const read = (values: Layer['values']): Record<string, unknown> =>
  resolveDirectives([matter(values)]).directives

describe('defaults', () => {
  it('are those of the manual', () => {
    expect(resolveDirectives([]).directives).toEqual({
      agent: 'claude',
      'agent-args': [],
      'permission-mode': 'acceptEdits',
      'allowed-tools': [],
      mounts: [],
      env: [],
      'max-iterations': 20,
      'max-cycles': 10,
      checks: [],
      'checks-in': 'image',
      'count-waits': false,
      judge: 'on',
      network: 'default',
      'judge-context': 'project',
      trim: true,
      'stale-reads': 'refresh',
      periodics: [],
      pull: 'never',
      'read-only-root': false,
      'on-failure': 'keep',
      'on-limit': 'wait',
      'keep-awake': true,
      drift: 'normal',
      'stuck-after': 3,
    })
  })

  it('come from no layer', () => {
    expect(new Set(Object.values(resolveDirectives([]).origin))).toEqual(new Set(['default']))
  })
})

describe('layers', () => {
  it('win in their order, each value whole', () => {
    const { directives, origin } = resolveDirectives([
      flag({ model: 'a' }),
      matter({ model: 'b', checks: ['x'], 'max-cycles': 2 }),
      project({ model: 'c', checks: ['y', 'z'], judge: 'off' }),
      user({ model: 'd', judge: 'on', drift: 'strict' }),
    ])
    expect(directives).toMatchObject({
      model: 'a',
      checks: ['x'],
      'max-cycles': 2,
      judge: 'off',
      drift: 'strict',
    })
    expect(origin).toMatchObject({
      model: 'flag',
      checks: 'front matter',
      judge: 'project config',
      drift: 'user config',
      trim: 'default',
    })
  })

  it('take back with none what a weaker one sets', () => {
    const { directives, origin } = resolveDirectives([
      matter({ image: 'none', 'max-cost-usd': 'none', checks: [] }),
      user({ image: 'x', 'max-cost-usd': 5, checks: ['y'] }),
    ])
    expect(directives).not.toHaveProperty('image')
    expect(directives).not.toHaveProperty('max-cost-usd')
    expect(directives.checks).toEqual([])
    expect(origin.image).toBe('front matter')
  })
})

describe('values', () => {
  it.each([
    ['max-iterations', '7', 7],
    ['max-iterations', '1_000', 1000],
    ['max-cost-usd', '$2.50', 2.5],
    ['max-cost-usd', 0.5, 0.5],
    ['max-duration', '1h30m', 5_400_000],
    ['idle-timeout', 90, 90_000],
    ['iteration-timeout', '24d', 2_073_600_000],
    ['context-fork-over', '120k', 120_000],
    ['context-fork-over', 5, 5],
    ['checks', 'npm test', ['npm test']],
    ['checks', ['a', 'b\nc'], ['a', 'b\nc']],
    ['judge', true, 'on'],
    ['judge', 'ON', 'on'],
    ['judge', false, 'off'],
    ['judge', 'no', 'off'],
    ['judge', 'judge.md', 'judge.md'],
    ['trim', 'off', false],
    ['trim', 'On', true],
    ['trim', false, false],
    ['model', ' opus ', 'opus'],
    ['model', 4, '4'],
    ['agent-args', '--a "b c"', ['--a', 'b c']],
    ['agent-args', ['--a b', '', 3], ['--a b', '', '3']],
    ['allowed-tools', 'Bash(git add:*), Read', ['Bash(git add:*)', 'Read']],
    ['allowed-tools', ['Bash(a b)'], ['Bash(a b)']],
    ['env', 'CI=1', ['CI=1']],
    ['env', { CI: 1, HOME: null, A: 'x=y' }, ['CI=1', 'HOME', 'A=x=y']],
    ['env', ['ANTHROPIC_API_KEY'], ['ANTHROPIC_API_KEY']],
    [
      'periodics',
      [{ name: 'docs', every: '5', prompt: ' x ' }],
      [{ name: 'docs', every: 5, prompt: 'x', session: 'fresh' }],
    ],
  ] as const)('%s: %j becomes %j', (key, value, expected) => {
    expect(read({ [key]: value })[key]).toEqual(expected)
  })

  it.each([
    ['/srv/a', { source: '/srv/a', readonly: false }],
    ['./a:ro', { source: './a', readonly: true }],
    ['/a:/b', { source: '/a', target: '/b', readonly: false }],
    ['~/a b:/c:rw', { source: '~/a b', target: '/c', readonly: false }],
    ['C:\\a:/b:ro', { source: 'C:\\a', target: '/b', readonly: true }],
    [
      { source: '/with:colon', target: '/x', readonly: 'on' },
      { source: '/with:colon', target: '/x', readonly: true },
    ],
  ])('mounts: %j becomes %j', (value, expected) => {
    expect(read({ image: 'x', mounts: [value] })['mounts']).toEqual([expected])
  })

  it.each([
    ['agent', 'gpt'],
    ['model', ''],
    ['model', '--dangerous'],
    ['model', 'a\nb'],
    ['model', ['a']],
    ['max-iterations', 0],
    ['max-iterations', 1.5],
    ['max-iterations', 'twenty'],
    ['max-iterations', 'none'],
    ['max-iterations', true],
    ['max-iterations', 1e20],
    ['max-cost-usd', 0],
    ['max-cost-usd', -1],
    ['max-cost-usd', Number.POSITIVE_INFINITY],
    ['max-cost-usd', null],
    ['max-duration', '0s'],
    ['max-duration', 'soon'],
    ['idle-timeout', '25d'],
    ['checks', ''],
    ['checks', ['a', ' ']],
    ['checks', [['a']]],
    ['checks', 'a\0b'],
    ['trim', 'maybe'],
    ['trim', 1],
    ['judge', ''],
    ['agent-args', '"a'],
    ['env', '1A=x'],
    ['env', 'ANTHROPIC_API_KEY=sk-1'],
    ['env', { GH_TOKEN: 'x' }],
    ['env', { A: ['x'] }],
    ['mounts', 'a:b'],
    ['mounts', { source: 'a', target: 'b' }],
    ['mounts', { source: 'a', mode: 'ro' }],
    ['periodics', [{ name: 'a', every: 1 }]],
    ['periodics', [{ name: '../a', every: 1, prompt: 'x' }]],
    ['periodics', [{ name: 'a', every: 0, prompt: 'x' }]],
    ['periodics', [1, 2].map((every) => ({ name: 'a', every, prompt: 'x' }))],
    ['periodics', { name: 'a', every: 1, prompt: 'x' }],
  ] as const)('%s: %j is refused, with the file and what was expected', (key, value) => {
    expect(() => resolveDirectives([matter({ [key]: value }, { [key]: 4 })])).toThrow(
      expect.objectContaining({
        code: 'E_BAD_DIRECTIVE',
        exit: 2,
        message: expect.stringContaining(`\`${key}\` in task.md:4 must be ${aboutDirective(key).expects}`),
      }),
    )
  })
})

describe('what is refused', () => {
  it.each([
    ['max-iteration', 'max-iterations'],
    ['maxIterations', 'max-iterations'],
    ['MAX_CYCLES', 'max-cycles'],
    ['modle', 'model'],
    ['check', 'checks'],
    ['staleReads', 'stale-reads'],
  ])('%s: the nearest directive is named', (key, nearest) => {
    expect(() => resolveDirectives([project({ [key]: 1 })])).toThrow(
      expect.objectContaining({
        code: 'E_UNKNOWN_DIRECTIVE',
        message: `\`${key}\` in .loop/config.yaml is not a directive; did you mean \`${nearest}\`?`,
      }),
    )
  })

  it.each(['colour', '__proto__', 'constructor', 'toString', ''])('%j: nothing is near', (key) => {
    const values = Object.fromEntries([[key, 1]])
    expect(() => resolveDirectives([flag(values)])).toThrow(
      expect.objectContaining({ code: 'E_UNKNOWN_DIRECTIVE', message: `\`--${key}\` is not a directive.` }),
    )
  })

  it('names every problem, also those that a stronger layer hides', () => {
    expect(() =>
      resolveDirectives([flag({ 'max-cycles': 1 }), matter({ modell: 'x' }), user({ 'max-cycles': 'x' })]),
    ).toThrow(/^`modell` in task\.md .*\n`max-cycles` in \/home\/me\/config\.yaml must be .*, but is "x"\.$/)
  })

  it('refuses what has no effect in a task, and lets it stand in a config', () => {
    expect(() => resolveDirectives([matter({ model: null })])).toThrow(
      /`model` in task\.md .*, but it has no value\.$/,
    )
    expect(() => resolveDirectives([matter({ mounts: ['/a'] })])).toThrow(/has no effect without `image`/)
    expect(() => resolveDirectives([flag({ engine: 'podman' })])).toThrow(/`--engine` has no effect/)
    expect(resolveDirectives([matter({ mounts: ['/a'] }), user({ image: 'x' })]).directives.image).toBe('x')
    expect(resolveDirectives([user({ engine: 'podman' })]).directives.engine).toBe('podman')
    expect(resolveDirectives([matter({ mounts: [], engine: 'none' })]).directives.mounts).toEqual([])
  })
})

describe('every directive', () => {
  it.each(directiveKeys)('%s: its example fits, and so does its default', (key) => {
    const entry = DirectivesSchema.entries[key].wrapped
    expect(v.safeParse(entry, aboutDirective(key).example).issues).toBeUndefined()
    expect(v.safeParse(entry, defaultOf(key) ?? 'none').issues).toBeUndefined()
  })

  it('is read back as it was stored', () => {
    const examples = fc.subarray([...directiveKeys])
    fc.assert(
      fc.property(examples, fc.integer({ min: 1, max: 2_000_000_000 }), (keys, ms) => {
        const values = Object.fromEntries(keys.map((key) => [key, aboutDirective(key).example]))
        const { directives } = resolveDirectives([user({ ...values, 'max-duration': `${ms}ms` })])
        expect(directives['max-duration']).toBe(ms)
        const stored = JSON.parse(JSON.stringify(asInput(directives)))
        expect(resolveDirectives([{ name: 'stored', where: '', values: stored }]).directives).toEqual(
          directives,
        )
      }),
    )
  })
})
