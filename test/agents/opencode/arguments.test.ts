import { describe, expect, it } from 'vitest'
import type { Invocation } from '../../../src/agents/agent.ts'
import { commandLine } from '../../../src/agents/opencode/arguments.ts'

const worker: Invocation = {
  role: 'worker',
  prompt: 'Do it',
  cwd: '/project',
  session: { kind: 'new' },
  access: 'edit',
}

const judge: Invocation = { ...worker, role: 'judge', session: { kind: 'ephemeral' }, access: 'read-only' }

const base = ['run', '--format', 'json', '--print-logs', '--log-level', 'ERROR']

const line = (invocation: Invocation, env = {}) => commandLine('/bin/opencode', invocation, env)
const variable = (invocation: Invocation, name: string, env = {}): unknown =>
  JSON.parse(line(invocation, env).env[name] ?? 'null')

describe('the command line of OpenCode', () => {
  it.each<[string, Invocation, readonly string[]]>([
    ['a new session', worker, base],
    [
      'a resumed session',
      { ...worker, session: { kind: 'resume', id: 'ses_1' } },
      [...base, '--session', 'ses_1'],
    ],
    ['a session that is not kept', { ...worker, session: { kind: 'ephemeral' } }, base],
    ['a model', { ...worker, model: 'anthropic/x' }, [...base, '--model', 'anthropic/x']],
    [
      "the user's own arguments, last",
      { ...worker, extraArgs: ['--agent', 'mine'] },
      [...base, '--agent', 'mine'],
    ],
  ])('with %s', (_, invocation, expected) => {
    expect(line(invocation).args).toEqual(expected)
  })

  it('hands the prompt over by standard input only', () => {
    const { args, stdin } = line(worker)
    expect(stdin).toBe('Do it')
    expect(args).not.toContain('Do it')
  })

  it.each([
    ...['--continue', '-s', '--session=x', '--fork', '--format', '--attach', '--auto', '--dir', '-m'],
    ...[
      '-sses_x',
      '-mfoo/bar',
      '-cs',
      '-hs=x',
      '--printLogs',
      '--no-print-logs',
      '--noPrintLogs',
      '--format.x',
    ],
  ])('refuses %s among the arguments of the user', (option) => {
    expect(() => line({ ...worker, extraArgs: [option] })).toThrow(
      expect.objectContaining({ code: 'E_AGENT_ARGS', exit: 2 }),
    )
  })

  it.each(['--variant', '--thinking', '-f', '-p=cms', 'cms', '-5', '--title=-s'])(
    'takes %s among the arguments of the user',
    (option) => expect(line({ ...worker, extraArgs: [option] }).args).toEqual([...base, option]),
  )

  it('takes no variable of a session around yoke along', () => {
    const { env } = line(worker, {
      OPENCODE: '1',
      AGENT: '1',
      OPENCODE_PID: '7',
      OPENCODE_CONFIG: '/c',
      A: 'b',
    })
    expect(env).toMatchObject({ OPENCODE_CONFIG: '/c', A: 'b' })
    expect(Object.keys(env)).not.toContain('OPENCODE')
    expect(Object.keys(env)).not.toContain('AGENT')
    expect(Object.keys(env)).not.toContain('OPENCODE_PID')
  })

  it('works in the project, wherever yoke itself was started', () => {
    for (const invocation of [worker, judge])
      expect(line(invocation, { PWD: '/elsewhere' }).env['PWD']).toBe('/project')
  })
})

const deny = { question: 'deny', plan_enter: 'deny', plan_exit: 'deny' }

describe('what a worker may do', () => {
  it.each<[string, Record<string, string>]>([
    ['acceptEdits', deny],
    ['bypassPermissions', { '*': 'allow', ...deny }],
    ['allow', { '*': 'allow', ...deny }],
  ])('with the permission mode %s', (permissionMode, expected) => {
    expect(variable({ ...worker, permissionMode }, 'OPENCODE_PERMISSION')).toEqual(expected)
  })

  it('is refused with a mode that there is not', () => {
    expect(() => line({ ...worker, permissionMode: 'yolo' })).toThrow('no permission mode `yolo`')
  })

  it.each<[string, readonly string[], object]>([
    ['a tool', ['WebFetch'], { webfetch: { '*': 'allow' } }],
    ['commands', ['Bash(npm test:*)'], { bash: { 'npm test': 'allow', 'npm test *': 'allow' } }],
    ['a tool by its name at Claude Code', ['Write'], { edit: { '*': 'allow' } }],
    ['several rules for a tool', ['bash(a)', 'bash(b)'], { bash: { a: 'allow', b: 'allow' } }],
  ])('with rules for %s', (_, allowedTools, permission) => {
    expect(variable({ ...worker, allowedTools }, 'OPENCODE_CONFIG_CONTENT')).toMatchObject({
      agent: { build: { permission } },
    })
  })

  it('is said to the agent that the user chose', () => {
    const own = { ...worker, allowedTools: ['Bash'], extraArgs: ['--agent=mine'] }
    expect(variable(own, 'OPENCODE_CONFIG_CONTENT')).toMatchObject({ agent: { mine: { permission: {} } } })
  })

  it('stands beside what the environment says already', () => {
    const env = {
      OPENCODE_CONFIG_CONTENT: '{"model":"a/b","experimental":{"x":1}}',
      OPENCODE_PERMISSION: '{"bash":"deny"}',
    }
    expect(variable(worker, 'OPENCODE_CONFIG_CONTENT', env)).toEqual({
      model: 'a/b',
      experimental: { x: 1, continue_loop_on_deny: true },
    })
    expect(variable(worker, 'OPENCODE_PERMISSION', env)).toEqual({ bash: 'deny', ...deny })
  })
})

describe("the user's rules", () => {
  const contentOf = (
    env: object,
    configuration?: Record<string, unknown>,
    more: Partial<Invocation> = {},
  ) => {
    const installation = { settings: {}, env: {}, ...(configuration === undefined ? {} : { configuration }) }
    const invocation = { ...worker, allowedTools: ['Bash(a)'], ...more }
    const { env: own } = commandLine('f', invocation, { ...env }, installation)
    return JSON.parse(own['OPENCODE_CONFIG_CONTENT'] ?? '')
  }

  it('may be written with comments and trailing commas', () => {
    const env = {
      OPENCODE_CONFIG_CONTENT: '{ // mine\n"permission": {"bash": "deny",}, /* x */ }',
      OPENCODE_PERMISSION: '{"edit": "deny", // mine\n}',
    }
    expect(variable(worker, 'OPENCODE_CONFIG_CONTENT', env)).toMatchObject({ permission: { bash: 'deny' } })
    expect(variable(worker, 'OPENCODE_PERMISSION', env)).toEqual({ edit: 'deny', ...deny })
  })

  it.each(['{', '["a"]', '"deny"', 'null', '{"a":1}}'])(
    'are not lost where they cannot be read: %s',
    (text) => {
      for (const name of ['OPENCODE_CONFIG_CONTENT', 'OPENCODE_PERMISSION'])
        expect(() => line(worker, { [name]: text })).toThrow(
          expect.objectContaining({
            code: 'E_AGENT_CONFIG',
            exit: 2,
            message: expect.stringContaining(name),
          }),
        )
    },
  )

  it.each<[string, string, Record<string, unknown>, (readonly string[])?]>([
    ['of the command line', 'other', { default_agent: 'mine' }, ['--agent', 'other']],
    ['that the user made the default', 'mine', { default_agent: 'mine' }],
    ['that comes first', 'build', { agent: { mine: {} } }],
    ['that comes next where one is out of use', 'plan', { agent: { build: { disable: true }, mine: {} } }],
    [
      'that is left',
      'mine',
      { agent: { build: { hidden: true }, plan: { mode: 'subagent' }, mine: { mode: 'all' } } },
    ],
  ])('are added to those of the agent %s', (_, name, configuration, extraArgs = []) => {
    const { agent } = contentOf({}, configuration, { extraArgs })
    expect(agent).toEqual({ [name]: { permission: { bash: { a: 'allow' } } } })
  })

  it('stay beside the added ones, in which form they may be', () => {
    const rulesOf = (permission: unknown) => contentOf({}, { agent: { build: { permission } } }).agent.build
    expect(rulesOf('deny').permission).toEqual({ '*': 'deny', bash: { a: 'allow' } })
    expect(rulesOf({ bash: 'deny', edit: 'ask' }).permission).toEqual({
      bash: { '*': 'deny', a: 'allow' },
      edit: 'ask',
    })
    expect(rulesOf({ bash: { 'b *': 'deny' } }).permission).toEqual({ bash: { 'b *': 'deny', a: 'allow' } })
  })

  it('are looked for in the variable where OpenCode does not tell its configuration', () => {
    const OPENCODE_CONFIG_CONTENT = '{"default_agent":"mine","agent":{"mine":{"permission":"deny"}}}'
    expect(contentOf({ OPENCODE_CONFIG_CONTENT }).agent.mine.permission).toEqual({
      '*': 'deny',
      bash: { a: 'allow' },
    })
  })
})

describe('what a judge may do', () => {
  it('is to read, whatever the invocation and the environment allow', () => {
    const { env } = commandLine(
      'f',
      { ...judge, permissionMode: 'bypassPermissions', allowedTools: ['Bash'] },
      {
        OPENCODE_PERMISSION: '{"*":"allow"}',
        OPENCODE_CONFIG: '/mine',
        OPENCODE_CONFIG_DIR: '/mine',
        HOME: '/h',
      },
      { settings: { provider: { own: {} } }, env: {} },
    )
    expect(Object.keys(env)).not.toContain('OPENCODE_CONFIG')
    expect(Object.keys(env)).not.toContain('OPENCODE_CONFIG_DIR')
    expect(env).toMatchObject({ OPENCODE_DB: ':memory:', OPENCODE_DISABLE_PROJECT_CONFIG: '1' })
    expect(env['XDG_CONFIG_HOME']).toMatch(/^\/h\//)
    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
      provider: { own: {} },
      snapshot: false,
    })
    const rules = JSON.parse(env['OPENCODE_PERMISSION'] ?? '') as Record<string, unknown>
    expect(Object.entries(rules)[0]).toEqual(['*', 'deny'])
    expect(rules['edit']).toBeUndefined()
  })
})
