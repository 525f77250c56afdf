import { cac } from 'cac'
import { describe, expect, it } from 'vitest'
import { directiveKeys } from '../../src/task/directives.ts'
import { directiveFlags, directiveOptions } from '../../src/task/options.ts'
import { resolveDirectives } from '../../src/task/resolve.ts'

/** What real cac makes of a command line, by way of the table. */
const given = (...argv: readonly string[]): Record<string, unknown> => {
  const cli = cac('yoke')
  const command = cli.command('brute <task>', '')
  for (const { flag, help } of directiveOptions) command.option(flag, help)
  let options: Record<string, unknown> = {}
  command.action((_: string, parsed: Record<string, unknown>) => {
    options = parsed
  })
  cli.parse(['', 'yoke', 'brute', 'task.md', ...argv])
  return directiveFlags(options)
}

const read = (...argv: readonly string[]): Record<string, unknown> =>
  resolveDirectives([{ name: 'flag', where: '', values: given(...argv) }]).directives

describe('flags', () => {
  it('are there for every directive', () => {
    expect(directiveOptions.map(({ key }) => key)).toEqual(directiveKeys)
    expect(directiveOptions.map(({ flag }) => flag)).toContain('--max-iterations <n>')
  })

  it('give nothing that is not given, or a default would win over the front matter', () => {
    expect(given()).toEqual({})
    expect(given('--model', 'x')).toEqual({ model: 'x' })
  })

  it.each([
    [['--max-iterations', '5'], 'max-iterations', 5],
    [['--max-cost-usd=2.5'], 'max-cost-usd', 2.5],
    [['--iteration-timeout', '30m'], 'iteration-timeout', 1_800_000],
    [['--context-fork-over', '120k'], 'context-fork-over', 120_000],
    [['--no-trim'], 'trim', false],
    [['--trim'], 'trim', true],
    [['--trim', 'off'], 'trim', false],
    [['--trim=on'], 'trim', true],
    [['--no-judge'], 'judge', 'off'],
    [['--judge', 'j.md'], 'judge', 'j.md'],
    [['--model', 'a', '--model', 'b'], 'model', 'b'],
    [['--checks', 'npm test'], 'checks', ['npm test']],
    [['--checks', 'a b', '--checks', 'c'], 'checks', ['a b', 'c']],
    [
      ['--allowed-tools', 'Read, Edit', '--allowed-tools', 'Bash(a b)'],
      'allowed-tools',
      ['Read', 'Edit', 'Bash(a b)'],
    ],
    [['--agent-args=--a "b c"', '--agent-args=--d'], 'agent-args', ['--a', 'b c', '--d']],
    [['--env', 'A=1', '--env', 'B'], 'env', ['A=1', 'B']],
    [
      [
        '--periodics',
        '{name: a, every: 2, prompt: Look.}',
        '--periodics',
        '[{name: b, every: 3, prompt: x}]',
      ],
      'periodics',
      [
        { name: 'a', every: 2, prompt: 'Look.', session: 'fresh' },
        { name: 'b', every: 3, prompt: 'x', session: 'fresh' },
      ],
    ],
    [
      ['--image', 'x', '--mounts', '/a:ro', '--mounts', '/b'],
      'mounts',
      [
        { source: '/a', readonly: true },
        { source: '/b', readonly: false },
      ],
    ],
  ] as const)('%j sets %s to %j', (argv, key, expected) => {
    expect(read(...argv)[key]).toEqual(expected)
  })

  it.each([
    [['--checks', 'a', '--checks', ' '], 'checks'],
    [['--periodics', '{name: a'], 'periodics'],
    [['--periodics', 'docs'], 'periodics'],
    [['--max-iterations', 'many'], 'max-iterations'],
  ] as const)('%j is refused by its name', (argv, key) => {
    expect(() => read(...argv)).toThrow(
      expect.objectContaining({
        code: 'E_BAD_DIRECTIVE',
        message: expect.stringContaining(`\`--${key}\` must be`),
      }),
    )
  })
})
