import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke } from '../helpers/yoke.ts'

/** Every path below a folder, with what it holds. */
const contents = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => [path, readFileSync(path, 'latin1')]),
  )

const bare = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' }

describe('bad input gets one sentence, what to do, its exit code, and changes nothing', () => {
  it.each<[string, readonly string[], Readonly<Record<string, string | Buffer>>, string, number]>([
    ['a command that is none', ['brut'], {}, 'E_USAGE', 2],
    ['an option that is none', ['brute', 't.md', '--max-iteration', '3'], { 't.md': 'x' }, 'E_USAGE', 2],
    ['no task', ['brute'], {}, 'E_USAGE', 2],
    ['a missing task', ['brute', 't.md'], {}, 'E_TASK_MISSING', 2],
    ['an empty task', ['brute', 't.md'], { 't.md': '' }, 'E_TASK_EMPTY', 2],
    ['a task without prompt', ['brute', 't.md'], { 't.md': '---\nmodel: x\n---\n' }, 'E_TASK_NO_PROMPT', 2],
    [
      'a task that is not UTF-8',
      ['brute', 't.md'],
      { 't.md': Buffer.from([0xff, 0xfe, 0x41]) },
      'E_TASK_ENCODING',
      2,
    ],
    ['bad YAML', ['brute', 't.md'], { 't.md': '---\na: [\n---\nx\n' }, 'E_TASK_YAML', 2],
    [
      'an unknown directive',
      ['brute', 't.md'],
      { 't.md': '---\nmax-iteratons: 3\n---\nx\n' },
      'E_UNKNOWN_DIRECTIVE',
      2,
    ],
    ['a bad value', ['brute', 't.md', '--max-iterations', 'many'], { 't.md': 'x' }, 'E_BAD_DIRECTIVE', 2],
    [
      'commands of a project that is not trusted',
      ['brute', 't.md'],
      { 't.md': '---\nchecks: make\n---\nx\n' },
      'E_UNTRUSTED',
      2,
    ],
    ['no agent on PATH', ['brute', 't.md'], { 't.md': 'x' }, 'E_NO_AGENT', 1],
    ['no run to resume', ['resume'], {}, 'E_NO_RUN', 2],
    ['no run to pause', ['pause'], {}, 'E_NOT_RUNNING', 1],
    ['no run to say something to', ['say', 'Be brief.'], {}, 'E_NO_RUN', 2],
    ['nothing to say', ['say'], {}, 'E_USAGE', 2],
    ['a line beside the task', ['say', 'r', 'Be brief.', '--task'], {}, 'E_USAGE', 2],
    ['a sentence without quotes', ['say', 'Be', 'brief', 'please.'], {}, 'E_USAGE', 2],
    ['no run to watch', ['watch', '--web'], {}, 'E_NO_RUN', 2],
    ['a port for a terminal', ['watch', '--port', '8123'], {}, 'E_USAGE', 2],
    ['no run to show', ['status', '2026'], {}, 'E_NO_RUN', 2],
    ['no yoke to stop', ['stop'], {}, 'E_NOT_RUNNING', 1],
    ['a file in the way of init', ['init'], { 'task.md': 'mine' }, 'E_EXISTS', 2],
    ['a choice of init that is none', ['init', '--max-cost-usd', 'lots'], {}, 'E_BAD_DIRECTIVE', 2],
    ['no run to read of', ['logs'], {}, 'E_NO_RUN', 2],
    ['no run to report', ['report', '--html', 'page.html'], {}, 'E_NO_RUN', 2],
    ['no run to watch', ['status', '--watch'], {}, 'E_NO_RUN', 2],
    ['a page without a name', ['report', '--html'], {}, 'E_USAGE', 2],
    ['a shell without completions', ['completions', 'tcsh'], {}, 'E_USAGE', 2],
    ['completions for no shell', ['completions'], {}, 'E_USAGE', 2],
    ['a way to be told that is none', ['brute', 't.md', '--notify', 'pigeon'], { 't.md': 'x' }, 'E_USAGE', 2],
  ])('%s', async (_name, args, files, code, exit) => {
    const cwd = await temporaryFolder()
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
    const before = contents(cwd)
    const run = await yoke(args, { cwd, env: bare })
    expect(run.stderr).toMatch(new RegExp(`^yoke: .+\\n.+\\n\\[${code}\\]\\n$`))
    expect(run.stderr).not.toMatch(/\bat .*:\d+:\d+/)
    expect(run.stdout).toBe('')
    expect(run.code).toBe(exit)
    expect(contents(cwd)).toEqual(before)
    expect(readdirSync(cwd).sort()).toEqual(Object.keys(files).sort())
  })

  it.skipIf(process.getuid?.() === 0)('a project folder that cannot be written', async () => {
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 't.md'), 'x')
    mkdirSync(join(cwd, 'bin'))
    writeFileSync(join(cwd, 'bin/claude'), '#!/bin/sh\n', { mode: 0o755 })
    chmodSync(cwd, 0o555)
    const run = await yoke(['brute', 't.md'], { cwd, env: { ...bare, PATH: join(cwd, 'bin') } })
    chmodSync(cwd, 0o755)
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('E_NOT_WRITABLE') })
  })

  it('a release of the agent that no run can work with', async () => {
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 't.md'), 'x')
    mkdirSync(join(cwd, 'bin'))
    writeFileSync(join(cwd, 'bin/opencode'), '#!/bin/sh\necho 1.15.13\n', { mode: 0o755 })
    const run = await yoke(['brute', 't.md', '--agent', 'opencode'], {
      cwd,
      env: { ...bare, PATH: `${join(cwd, 'bin')}:/bin` },
    })
    expect(run).toMatchObject({ code: 4, stdout: '' })
    expect(run.stderr).toMatch(
      /OpenCode 1\.15\.13 mostly ends before .+\n.+npm install -g opencode-ai\n\[E_AGENT_RELEASE\]\n$/,
    )
    expect(readdirSync(cwd).sort()).toEqual(['bin', 't.md'])
  })

  it('a file where the folder .loop should be', async () => {
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 't.md'), 'x')
    writeFileSync(join(cwd, '.loop'), 'in the way')
    mkdirSync(join(cwd, 'bin'))
    writeFileSync(join(cwd, 'bin/claude'), '#!/bin/sh\n', { mode: 0o755 })
    const run = await yoke(['brute', 't.md'], { cwd, env: { ...bare, PATH: `${join(cwd, 'bin')}:/bin` } })
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('E_') })
    expect(run.stderr).not.toContain('bug in yoke')
    expect(readFileSync(join(cwd, '.loop'), 'utf8')).toBe('in the way')
  })
})

const commands = [
  'brute',
  'resume',
  'status',
  'runs',
  'logs',
  'report',
  'stop',
  'pause',
  'say',
  'watch',
  'demo',
  'init',
  'completions',
  'man',
  'schema',
  'vectors',
]

describe('help', () => {
  it.each([[[]], [['--help']], [['help']]])('lists the commands for %j', async (args) => {
    const run = await yoke(args, { cwd: '/', env: bare })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    for (const command of commands) expect(run.stdout).toContain(`  ${command}`)
  })

  it.each(commands)('has examples for %s', async (command) => {
    const run = await yoke([command, '--help'], { cwd: '/', env: bare })
    expect(run).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`yoke ${command}`) })
    expect(run.stdout).toContain('Examples:')
  })

  it('prints its version', async () => {
    expect(await yoke(['--version'], { cwd: '/', env: bare })).toMatchObject({
      code: 0,
      stdout: 'yoke 0.1.0\n',
    })
  })
})
