import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentEvent, Invocation } from '../../src/agents/agent.ts'
import { sessionFolder } from '../../src/agents/claude/session-file.ts'
import { agentByName } from '../../src/agents/registry.ts'
import { probeEnvironment } from '../../src/probe/environment.ts'
import type { Reply } from '../../src/probe/scenario.ts'
import { startModelServer } from '../../src/probe/server.ts'
import { type AgentOptions, startAgent } from '../../src/run/agent-process.ts'
import { claudePath } from '../helpers/claude.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const agent = agentByName('claude')

const text = (words: string): Reply => ({ blocks: [{ text: words }] })
const tool = (name: string, input: Record<string, unknown>): Reply => ({ blocks: [{ tool: name, input }] })
const bash = (command: string): Reply => tool('Bash', { command, description: 'x' })
/** Given to the retries of the CLI as well. */
const error = (status: number, type: string, message: string): Reply => ({
  error: { status, type, message },
  times: 9,
})

type Turn = readonly Reply[]

/** A home and a project of their own, and a model that plays a turn for each start, the last one for ever. */
const place = async (
  turns: readonly Turn[],
  options: { readonly key?: boolean; readonly project?: string; readonly subagent?: Turn } = {},
) => {
  const home = await temporaryFolder()
  const project = join(home, options.project ?? 'project')
  await mkdir(project, { recursive: true })
  const model = await startModelServer({
    scenario: {
      name: 'agent',
      roles: [
        { name: 'subagent', match: subagentPrompt },
        { name: 'agent', tool: 'Read' },
      ],
      script: {
        agent: turns.map((turn) => [...turn]),
        subagent: [[...(options.subagent ?? [text('seen')])]],
      },
      repeat: true,
      otherwise: text('ok'),
    },
  })
  onTestFinished(model.close)
  const env = {
    ...probeEnvironment({ url: model.url, home, base: process.env }),
    CLAUDE_CODE_MAX_RETRIES: '1',
    IS_SANDBOX: '1',
  } as Record<string, string>
  if (options.key === false) delete env['ANTHROPIC_API_KEY']
  const sent = (at: number): string => JSON.stringify(model.requests.at(at)?.body)
  const start = async (more: Partial<Invocation> = {}, limits: Partial<AgentOptions> = {}) => {
    const events: AgentEvent[] = []
    const run = await startAgent(
      agent,
      claudePath(),
      {
        role: 'worker',
        prompt: 'Do the task',
        cwd: project,
        session: { kind: 'new' },
        access: 'edit',
        model: 'claude-sonnet-4-5',
        permissionMode: 'acceptEdits',
        ...more,
      },
      { env, onEvent: (event) => void events.push(event), ...limits },
    )
    return { ...run, events }
  }
  return { home, project, env, sent, start }
}

const subagentPrompt = 'Look around in the attic'

const judge: Partial<Invocation> = { role: 'judge', session: { kind: 'ephemeral' }, access: 'read-only' }

const resume = (id: string): Partial<Invocation> => ({ session: { kind: 'resume', id } })

describe('the real Claude Code', () => {
  it('works, and is resumed in the same session', async () => {
    const { project, env, start, sent } = await place([
      [tool('Write', { file_path: 'new.txt', content: 'x' }), text('Hello')],
      [text('Again')],
    ])
    const first = await start()
    expect(first.outcome).toMatchObject({ class: 'ok', text: 'Hello', turns: 2, evidence: '' })
    expect(first.unknownEvents).toEqual(new Map())
    const id = first.outcome.session ?? ''
    const session = await agent.findSession(id, project, env)
    expect(dirname(session ?? '')).toBe(sessionFolder(project, env))
    const second = await start(resume(id))
    expect(second.outcome).toMatchObject({ class: 'ok', session: id, text: 'Again' })
    expect(sent(-1)).toContain('Hello')
  })

  it('says what it does while it does it', async () => {
    const { start } = await place([[bash('echo one'), text('Done')]])
    const { events } = await start({ allowedTools: ['Bash'] })
    expect(events.map(({ type }) => type)).toEqual([
      ...['started', 'tool-called', 'usage', 'tool-returned', 'said', 'usage', 'result'],
    ])
    expect(events[1]).toMatchObject({ tool: 'Bash', target: 'echo one' })
  })

  it.each<[string, string, Reply]>([
    ['rate-limit', '(429)', error(429, 'rate_limit_error', 'This request would exceed your rate limit')],
    ['overloaded', '529 Overloaded', error(529, 'overloaded_error', 'Overloaded')],
    ['overloaded', '500', error(500, 'api_error', 'Internal server error')],
    ['auth', 'Invalid API key', error(401, 'authentication_error', 'invalid x-api-key')],
    ['auth', 'revoked', error(403, 'permission_error', 'OAuth token has been revoked')],
    [
      'billing',
      'Credit balance',
      error(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API'),
    ],
    [
      'context-full',
      'too long',
      error(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    ],
    ['context-full', 'too large', error(413, 'request_too_large', 'Request exceeds the maximum size')],
    [
      'rejected-history',
      'Invalid signature',
      error(400, 'invalid_request_error', 'messages.1.content.0: Invalid signature in thinking block'),
    ],
    [
      'rejected-history',
      '400',
      error(
        400,
        'invalid_request_error',
        'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
      ),
    ],
    ['bad-config', 'selected model', error(404, 'not_found_error', 'model: claude-nope')],
  ])('fails with class %s (%s)', async (expected, evidence, reply) => {
    const { start } = await place([[reply]])
    const { outcome } = await start()
    expect(outcome).toMatchObject({ class: expected, evidence: expect.stringContaining(evidence) })
  })

  it('is overloaded when nothing listens where the provider should be', async () => {
    const { start, env } = await place([[text('x')]])
    env['ANTHROPIC_BASE_URL'] = 'http://127.0.0.1:1'
    expect((await start()).outcome.class).toBe('overloaded')
  })

  it('does not find a session that is unknown', async () => {
    const { start } = await place([[text('x')]])
    const { outcome } = await start(resume('11111111-1111-4111-8111-111111111111'))
    expect(outcome).toMatchObject({
      class: 'stale-session',
      evidence: expect.stringContaining('No conversation found'),
    })
  })

  it.each<[string, (file: string) => Promise<void>]>([
    ['emptied', (session) => writeFile(session, '')],
    ['overwritten with something else', (session) => writeFile(session, 'nonsense\n')],
  ])('does not find a session whose file was %s', async (_, damage) => {
    const { start, project, env } = await place([[text('x')]])
    const { outcome } = await start()
    const id = outcome.session ?? ''
    await damage((await agent.findSession(id, project, env)) ?? '')
    expect((await start(resume(id))).outcome.class).toBe('stale-session')
  })

  it('stops at the turns that it may take', async () => {
    const { start } = await place([[bash('ls'), text('x')]])
    expect((await start({ extraArgs: ['--max-turns', '1'] })).outcome.class).toBe('max-turns')
  })

  it('stops at the money that it may spend', async () => {
    const { start } = await place([[bash('ls'), text('x')]])
    expect((await start({ extraArgs: ['--max-budget-usd', '0.000001'] })).outcome.class).toBe('budget')
  })

  it.each([
    ['an unknown option', ['--nope']],
    ['settings that are missing', ['--mcp-config', '/nonexistent.json']],
  ])('says what is wrong with %s', async (_, extraArgs) => {
    const { start } = await place([[text('x')]])
    const { outcome } = await start({ extraArgs })
    expect(outcome.class).toBe('bad-config')
    expect(outcome.evidence).toMatch(/nope|nonexistent/)
  })

  it('needs a login', async () => {
    const { start } = await place([[text('x')]], { key: false })
    expect((await start()).outcome).toMatchObject({
      class: 'auth',
      evidence: 'Not logged in · Please run /login',
    })
  })

  it('is reported when it was denied what it needed', async () => {
    const { start } = await place([[bash('npm test'), text('Could not')]])
    const { outcome } = await start()
    expect(outcome).toMatchObject({ class: 'permission', denials: ['Bash npm test'] })
  })

  it('is found out when it keeps no session', async () => {
    const { start, home } = await place([[text('x')]])
    await mkdir(join(home, '.claude'))
    await writeFile(join(home, '.claude', 'projects'), 'in the way')
    expect((await start()).outcome.class).toBe('no-transcript')
  })

  it('is found out when its session is deleted under it: the CLI makes a new one with the rest (measured on Claude Code 2.1.332)', async () => {
    const { start, project, env } = await place([
      [text('x')],
      [tool('Read', { file_path: 'a.txt' }), tool('Read', { file_path: 'b.txt' }), text('y')],
    ])
    const { session = '' } = (await start()).outcome
    const file = (await agent.findSession(session, project, env)) ?? ''
    const { outcome } = await start(
      { session: { kind: 'resume', id: session } },
      {
        onEvent: ({ type }) => {
          if (type === 'tool-called') rmSync(file, { force: true })
        },
      },
    )
    expect(outcome).toMatchObject({ class: 'stale-session', evidence: expect.stringContaining(file) })
  })

  it('keeps a session of a project with a very long path where it is looked for first', async () => {
    const { start, project, env } = await place([[text('x')]], {
      project: `${'deep.er_'.repeat(20)}/${'ü'.repeat(100)}`,
    })
    const { outcome } = await start()
    expect(outcome.class).toBe('ok')
    expect(await readdir(sessionFolder(project, env))).toContain(`${outcome.session}.jsonl`)
  })

  it('takes a prompt that is longer than an argument can be', async () => {
    const { start, sent } = await place([[text('x')]])
    const { outcome } = await start({ prompt: `begin ${'word '.repeat(60_000)}end` })
    expect(outcome.class).toBe('ok')
    expect(sent(0)).toContain('word word end')
  })

  it('is ended in the middle of a tool, with the tool', async () => {
    const { start, project } = await place([[bash('echo $$ > pid; exec sleep 60'), text('x')]])
    const abort = new AbortController()
    const run = start({ allowedTools: ['Bash'] }, { signal: abort.signal })
    const pid = await waitForNumber(join(project, 'pid'))
    abort.abort()
    expect((await run).outcome.class).toBe('killed')
    expect(() => process.kill(pid, 0)).toThrow()
  })

  it('is ended after its result when a command that it left in the background does not end', async () => {
    const { start, project } = await place([
      [
        tool('Bash', { command: 'echo $$ > pid; exec sleep 60', description: 'x', run_in_background: true }),
        text('Done'),
      ],
    ])
    const { outcome, ending } = await start({ allowedTools: ['Bash'] }, { resultGraceMs: 1_000 })
    expect(outcome).toMatchObject({ class: 'ok', text: 'Done' })
    expect(ending.endedBy).toBe('grace')
    const pid = Number(await readFile(join(project, 'pid'), 'utf8'))
    expect(() => process.kill(pid, 0)).toThrow()
  })

  it('is not ended while a subagent works in the background', async () => {
    const { start } = await place(
      [
        [
          tool('Agent', {
            description: 'look',
            prompt: subagentPrompt,
            subagent_type: 'general-purpose',
            run_in_background: true,
          }),
          text('Waiting'),
          text('Woken up'),
        ],
      ],
      { subagent: [{ ...text('slow'), delayMs: 2_500 }] },
    )
    const { outcome, ending } = await start({}, { resultGraceMs: 1_000 })
    expect(outcome.class).toBe('ok')
    expect(outcome.text).toBe('Woken up')
    expect(ending.endedBy).toBeUndefined()
  })
})

describe('the real Claude Code as a judge', () => {
  it('answers by a schema and leaves no session', async () => {
    const answer = { verdict: 'done', reasons: ['seen'], next: '' }
    const { start, home } = await place([[{ blocks: [{ answer }] }, text('That is it')]])
    const { outcome } = await start({
      ...judge,
      answer: { type: 'object', properties: { verdict: { type: 'string' } }, required: ['verdict'] },
    })
    expect(outcome).toMatchObject({ class: 'ok', answer })
    const kept = await readdir(join(home, '.claude'), { recursive: true })
    expect(kept.filter((name) => name.endsWith('.jsonl'))).toEqual([])
  })

  it('reads and looks, and cannot write, whatever the user and the project allow', async () => {
    const calls: readonly [Reply, 'may' | 'may not'][] = [
      [bash('git status'), 'may'],
      [bash('git diff'), 'may'],
      [bash('git log --oneline'), 'may'],
      [bash('ls; cat a.txt | head -1'), 'may'],
      [tool('Read', { file_path: 'a.txt' }), 'may'],
      [tool('Grep', { pattern: 'x' }), 'may'],
      [tool('Glob', { pattern: '*' }), 'may'],
      [bash('touch made'), 'may not'],
      [bash('echo x > made'), 'may not'],
      [bash('git log --output=made'), 'may not'],
      [bash('git commit --allow-empty -m made'), 'may not'],
      [bash('sed -i s/x/y/ a.txt'), 'may not'],
      [bash('rm a.txt'), 'may not'],
      [bash('ls && touch made'), 'may not'],
      [bash('$(touch made)'), 'may not'],
      [tool('Write', { file_path: 'made', content: 'x' }), 'may not'],
      [tool('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' }), 'may not'],
      [tool('Agent', { description: 'x', prompt: 'x', subagent_type: 'general-purpose' }), 'may not'],
    ]
    const { start, project, home } = await place([[...calls.map(([call]) => call), text('Seen')]])
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' })
    git('init', '-q')
    await writeFile(join(project, 'a.txt'), 'x\n')
    git('add', '.')
    git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-q', '-m', 'first')
    const generous = JSON.stringify({
      permissions: { allow: ['Bash', 'Write', 'Edit', 'Agent'], defaultMode: 'bypassPermissions' },
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch made-by-hook' }] }] },
    })
    for (const folder of [join(home, '.claude'), join(project, '.claude')]) {
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'settings.json'), generous)
    }
    await writeFile(
      join(home, '.claude.json'),
      JSON.stringify({ projects: { [project]: { hasTrustDialogAccepted: true } } }),
    )

    const { outcome, events } = await start(judge)

    expect(outcome).toMatchObject({ class: 'ok', text: 'Seen' })
    const answers = events.flatMap((event) =>
      event.type === 'tool-returned' ? [event.failed ? 'may not' : 'may'] : [],
    )
    expect(answers).toEqual(calls.map(([, expected]) => expected))
    expect((await readdir(project)).sort()).toEqual(['.claude', '.git', 'a.txt'])
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('x\n')
    expect(git('log', '--oneline').trim().split('\n')).toHaveLength(1)
  })

  it('hears of no memory of the user, the project or the worker', async () => {
    const { start, project, home, env, sent } = await place([[text('x')]])
    const memories = [
      join(home, '.claude', 'CLAUDE.md'),
      join(project, 'CLAUDE.md'),
      join(project, 'CLAUDE.local.md'),
      join(sessionFolder(project, env), 'memory', 'MEMORY.md'),
    ]
    for (const memory of memories) {
      await mkdir(dirname(memory), { recursive: true })
      await writeFile(memory, 'The secret word is AMBIENT.\n')
    }
    await start(judge)
    expect(sent(0)).not.toContain('AMBIENT')
    await start()
    expect(sent(-1).split('AMBIENT').length).toBeGreaterThan(memories.length)
  })

  it("logs in as the user's settings say", async () => {
    const { start, home } = await place([[text('Seen')]], { key: false })
    const helper = join(home, 'key')
    await writeFile(helper, '#!/bin/sh\necho sk-helper\n')
    await chmod(helper, 0o755)
    await mkdir(join(home, '.claude'))
    await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify({ apiKeyHelper: helper }))
    expect((await start(judge)).outcome).toMatchObject({ class: 'ok', text: 'Seen' })
  })
})

/** The number in a file, as soon as it is there. */
const waitForNumber = async (path: string): Promise<number> => {
  for (;;) {
    const found = Number(await readFile(path, 'utf8').catch(() => ''))
    if (found > 0) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
