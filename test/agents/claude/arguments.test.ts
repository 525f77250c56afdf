import { describe, expect, it } from 'vitest'
import type { Invocation } from '../../../src/agents/agent.ts'
import { commandLine } from '../../../src/agents/claude/arguments.ts'

const worker: Invocation = {
  role: 'worker',
  prompt: 'Do it',
  cwd: '/project',
  session: { kind: 'new' },
  access: 'edit',
}

const judge: Invocation = { ...worker, role: 'judge', session: { kind: 'ephemeral' }, access: 'read-only' }

const base = ['--print', '--output-format', 'stream-json', '--verbose']

const argumentsOf = (invocation: Invocation) => commandLine('/bin/claude', invocation, {}).args

describe('the command line of Claude Code', () => {
  it.each<[string, Invocation, readonly string[]]>([
    ['a new session', worker, base],
    [
      'a resumed session',
      { ...worker, session: { kind: 'resume', id: 'abc' } },
      [...base, '--resume', 'abc'],
    ],
    [
      'a session that is not kept',
      { ...worker, session: { kind: 'ephemeral' } },
      [...base, '--no-session-persistence'],
    ],
    ['a model', { ...worker, model: 'opus' }, [...base, '--model', 'opus']],
    [
      'a permission mode',
      { ...worker, permissionMode: 'acceptEdits' },
      [...base, '--permission-mode', 'acceptEdits'],
    ],
    [
      'allowed tools, each an argument of its own',
      { ...worker, allowedTools: ['Bash(git log:*)', 'WebFetch'] },
      [...base, '--allowedTools', 'Bash(git log:*)', 'WebFetch'],
    ],
    ['no allowed tools', { ...worker, allowedTools: [] }, base],
    [
      'an answer by schema',
      { ...worker, answer: { type: 'object' } },
      [...base, '--json-schema', '{"type":"object"}'],
    ],
    [
      "the user's own arguments, last",
      { ...worker, model: 'opus', extraArgs: ['--effort', 'high'] },
      [...base, '--model', 'opus', '--effort', 'high'],
    ],
  ])('with %s', (_, invocation, expected) => {
    expect(argumentsOf(invocation)).toEqual(expected)
  })

  it('hands the prompt over by standard input only', () => {
    const { args, stdin } = commandLine('/bin/claude', worker, {})
    expect(stdin).toBe('Do it')
    expect(args).not.toContain('Do it')
  })

  it('holds a judge to reading, whatever the settings and the invocation allow', () => {
    const args = argumentsOf({ ...judge, permissionMode: 'bypassPermissions', allowedTools: ['Bash'] })
    expect(args).toEqual([
      ...base,
      '--no-session-persistence',
      ...['--permission-mode', 'dontAsk'],
      ...['--tools', 'Read,Grep,Glob,Bash'],
      ...['--setting-sources', ''],
      '--strict-mcp-config',
    ])
  })

  it('gives a judge what it needs of the settings that it may not read, and a worker nothing', () => {
    const own = { env: { AWS_PROFILE: 'work', CLAUDECODE: '1' }, settings: { apiKeyHelper: 'get-key' } }
    const line = commandLine('f', judge, { AWS_PROFILE: 'home' }, own)
    expect(line.args.slice(-2)).toEqual(['--settings', '{"apiKeyHelper":"get-key"}'])
    expect(line.env).toMatchObject({ AWS_PROFILE: 'work' })
    expect(line.env).not.toHaveProperty('CLAUDECODE')
    expect(commandLine('f', worker, {}, own)).toMatchObject({ args: base, env: {} })
  })

  it('leaves out what the installed release does not know', () => {
    const old = (...words: readonly string[]) =>
      commandLine('f', { ...judge, answer: {} }, {}, { words: new Set(words), settings: {}, env: {} }).args
    expect(old()).toEqual([
      ...base,
      '--disallowedTools',
      'Edit,MultiEdit,Write,NotebookEdit,Task,WebFetch,WebSearch',
    ])
    expect(old('--tools', '--setting-sources')).toEqual([
      ...base,
      ...['--tools', 'Read,Grep,Glob,Bash'],
      ...['--setting-sources', ''],
    ])
    expect(old('--json-schema', '--no-session-persistence')).toEqual(
      expect.arrayContaining(['--json-schema', '{}', '--no-session-persistence']),
    )
  })

  it("keeps the worker's memory from the judge, and leaves it to the worker", () => {
    expect(commandLine('f', judge, {}).env).toMatchObject({ CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' })
    expect(commandLine('f', worker, {}).env).not.toHaveProperty('CLAUDE_CODE_DISABLE_AUTO_MEMORY')
  })

  it.each([
    '--resume',
    '-c',
    '--continue',
    '--output-format=text',
    '--model=x',
    '--permission-mode',
    '-p',
    '-rs1',
    '-vp',
  ])("refuses %s among the user's own arguments", (option) => {
    expect(() => argumentsOf({ ...worker, extraArgs: ['--effort', 'high', option] })).toThrow(
      expect.objectContaining({ code: 'E_AGENT_ARGS', exit: 2 }),
    )
  })

  it.each(['-napp', '-dapi,mcp', '-wcopy'])(
    'takes the letters of %s for the value of its first one',
    (option) => {
      expect(argumentsOf({ ...worker, extraArgs: [option] })).toContain(option)
    },
  )
})

describe('the environment of Claude Code', () => {
  it('has no marks of a session that yoke itself was started from', () => {
    const inherited = {
      CLAUDECODE: '1',
      CLAUDE_CODE_CHILD_SESSION: '1',
      CLAUDE_CODE_SESSION_ID: 'x',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SSE_PORT: '1234',
      CLAUDE_CODE_MESSAGING_SOCKET: '/tmp/s',
      CLAUDE_CODE_MESSAGING_TOKEN: 'secret',
      AI_AGENT: 'claude-code',
    }
    expect(commandLine('f', worker, inherited).env).toEqual({})
  })

  it("keeps the user's configuration", () => {
    const configuration = {
      PATH: '/bin',
      HOME: '/home/me',
      CLAUDE_CONFIG_DIR: '/c',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: 'http://x',
      EMPTY: '',
    }
    expect(commandLine('f', worker, { ...configuration, UNSET: undefined }).env).toEqual(configuration)
  })
})
