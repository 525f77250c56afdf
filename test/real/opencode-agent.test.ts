import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { opencode } from '../../src/agents/opencode/opencode.ts'
import type { Reply } from '../../src/probe/scenario.ts'
import { agent, bash, error, judge, place, read, resume, text, tool } from './opencode-place.ts'

const timeout = { timeout: 120_000 }
/** Each start takes seconds of two cores: what differs only in its words is played at night. */
const atNight = it.skipIf(!process.env['YOKE_NIGHTLY'])

describe('the real OpenCode', timeout, () => {
  it('works, tells what it does, and is resumed in the same session, unless it is unknown or damaged', async () => {
    const { project, env, start, requests } = await place([
      [
        {
          blocks: [
            { text: 'I write' },
            { tool: 'write', input: { filePath: '{{cwd}}/new.txt', content: 'x' } },
          ],
        },
        text('Hello'),
      ],
      [text('Again')],
    ])
    const first = await start({ prompt: 'say "hi" now\nand more' })
    expect(first.outcome).toMatchObject({ class: 'ok', text: 'Hello', turns: 2, evidence: '' })
    expect(first.outcome.costUsd).toBeGreaterThan(0)
    expect(first.outcome.tokens.cacheWrite).toBeGreaterThan(1000)
    expect(first.unknownEvents).toEqual(new Map())
    expect(first.events.map(({ type }) => type)).toEqual([
      ...['started', 'said', 'tool-called', 'tool-returned', 'usage'],
      ...['started', 'said', 'usage'],
    ])
    expect(first.events[2]).toMatchObject({ tool: 'write', target: join(project, 'new.txt') })
    expect(await readFile(join(project, 'new.txt'), 'utf8')).toBe('x')
    const id = first.outcome.session ?? ''
    expect(await agent.findSession(id, project, env)).toMatch(/opencode\.db$/)
    const second = await start(resume(id))
    expect(second.outcome).toMatchObject({ class: 'ok', session: id, text: 'Again' })
    const sent = JSON.stringify(requests().at(-1)?.body)
    expect(sent).toContain('Hello')
    expect(sent).toContain(JSON.stringify('say "hi" now\nand more').slice(1, -1))
    expect(requests().at(-1)?.body).not.toHaveProperty('tools.10')

    const unknown = await start(resume('ses_000000000000aaaaaaaaaaaaaa'))
    expect(unknown.outcome).toMatchObject({ class: 'stale-session', evidence: 'Error: Session not found' })
    const store = (await agent.findSession(id, project, env)) ?? ''
    for (const end of ['', '-wal', '-shm']) await writeFile(`${store}${end}`, 'garbage '.repeat(2000))
    expect((await start(resume(id))).outcome.class).toBe('rejected-history')
  })

  it('goes on after a refusal, and is reported for it', async () => {
    const { start } = await place([[tool('read', { filePath: '/etc/hostname' }), text('Could not')]])
    const { outcome } = await start()
    expect(outcome).toMatchObject({ class: 'permission', text: 'Could not', denials: ['read /etc/hostname'] })
  })

  atNight('may do with a mode that bypasses permissions what it else may not', async () => {
    const { start } = await place([[tool('read', { filePath: '/etc/hostname' }), text('Seen')]])
    const { outcome } = await start({ permissionMode: 'bypassPermissions' })
    expect(outcome).toMatchObject({ class: 'ok', denials: [] })
  })

  it('may do what a rule allows, except for what the user forbids', async () => {
    const { start, project, env } = await place([
      [
        ...[bash('touch made'), bash('echo fine'), tool('read', { filePath: '/etc/hostname' })],
        ...[tool('glob', { pattern: '*.key' }), text('x')],
      ],
    ])
    const permission = { bash: 'deny' }
    const mine = { mode: 'primary', description: 'x', permission }
    const config = { default_agent: 'mine', permission, agent: { mine } }
    await writeFile(join(project, 'opencode.json'), JSON.stringify(config))
    env['OPENCODE_CONFIG_CONTENT'] = (env['OPENCODE_CONFIG_CONTENT'] ?? '{}').replace(
      /\}$/,
      ', // mine\n"permission": { "glob": { "*.key": "deny" }, }, }',
    )
    const { outcome } = await start({ allowedTools: ['Bash(echo fine)', 'external_directory(/etc/*)'] })
    expect(outcome.denials).toEqual(['bash touch made', 'glob *.key'])
    expect(await readdir(project)).not.toContain('made')
  })

  it('is ended before it asks a model when the user has chosen an agent that OpenCode does not know', async () => {
    const { start, requests } = await place([[text('Done')]])
    const { outcome } = await start({ extraArgs: ['--agent', 'nope'] })
    expect(outcome).toMatchObject({
      class: 'bad-config',
      evidence:
        'OpenCode would take its default agent for "nope", which it does not know: correct `agent-args`',
    })
    expect(requests()).toEqual([])
  })

  const failures: readonly [string, string, Reply][] = [
    ['auth', 'invalid x-api-key', error(401, 'authentication_error', 'invalid x-api-key')],
    ['auth', 'revoked', error(403, 'permission_error', 'OAuth token has been revoked')],
    [
      'billing',
      'credit balance',
      error(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API'),
    ],
    [
      'context-full',
      'too long',
      error(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    ],
    [
      'rejected-history',
      'Invalid signature',
      error(400, 'invalid_request_error', 'messages.1.content.0: Invalid signature in thinking block'),
    ],
    ['bad-config', 'model:', error(404, 'not_found_error', 'model: claude-sonnet-4-5')],
  ]

  it.each(process.env['YOKE_NIGHTLY'] ? failures : failures.slice(0, 1))(
    'fails with %s: %s',
    async (expected, words, reply) => {
      const { start } = await place([[reply]])
      const { outcome } = await start()
      expect(outcome.class).toBe(expected)
      expect(outcome.evidence).toContain(words)
    },
  )

  const endless: readonly [string, string, Reply | 'down'][] = [
    [
      'rate-limit',
      'exceed your rate limit',
      error(429, 'rate_limit_error', 'This would exceed your rate limit'),
    ],
    ['overloaded', 'Overloaded', error(529, 'overloaded_error', 'Overloaded')],
    ['overloaded', 'Cannot connect', 'down'],
  ]

  it.each(process.env['YOKE_NIGHTLY'] ? endless : endless.slice(0, 1))(
    'is ended when it would retry for ever: %s, %s',
    async (expected, words, reply) => {
      const { start, env } = await place([[reply === 'down' ? text('x') : reply]])
      if (reply === 'down')
        env['OPENCODE_CONFIG_CONTENT'] = JSON.stringify({
          provider: { anthropic: { options: { baseURL: 'http://127.0.0.1:1/v1' } } },
        })
      const { patience = { silenceMs: 0, retryingMs: 0 } } = opencode
      expect(patience.retryingMs).toBeGreaterThan(60_000)
      // Counted from the first failure: a start alone takes half a minute where the machine is busy.
      const impatient = { ...opencode, patience: { ...patience, retryingMs: 2_000 } }
      const { outcome, ending, events } = await start({}, {}, impatient)
      expect(ending.endedBy).toBe('idle-timeout')
      expect(outcome.class).toBe(expected)
      expect(outcome.evidence).toContain(words)
      expect(events.filter(({ type }) => type === 'retrying').length).toBeGreaterThan(0)
    },
  )

  it('says what is wrong with an unknown option', async () => {
    const { start } = await place([[text('x')]])
    const { outcome } = await start({ extraArgs: ['--nope'] })
    expect(outcome.class).toBe('bad-config')
    expect(outcome.evidence).toMatch(/options/)
  })

  atNight('says what is wrong with an unknown model', async () => {
    const { start } = await place([[text('x')]])
    const { outcome } = await start({ model: 'anthropic/claude-nope' })
    expect(outcome.class).toBe('bad-config')
    expect(outcome.evidence).toMatch(/claude-nope|[Mm]odel/)
  })

  it('is ended in the middle of a tool, with the tool', async () => {
    const { start, project } = await place([[bash('echo $$ > pid; exec sleep 60'), text('x')]])
    const abort = new AbortController()
    const run = start({}, { signal: abort.signal })
    const pid = await waitForNumber(join(project, 'pid'))
    abort.abort()
    const { outcome } = await run
    expect(outcome.class).toBe('killed')
    expect(isAlive(pid)).toBe(false)
  })
})

describe('the real OpenCode as a judge', timeout, () => {
  it('reads and looks, cannot write, hears nothing of the project and leaves nothing', async () => {
    const calls: readonly [Reply, 'may' | 'may not'][] = [
      [bash('git status'), 'may'],
      [bash('git log --oneline'), 'may'],
      [bash('ls; cat a.txt | head -1'), 'may'],
      [{ blocks: [read('a.txt')] }, 'may'],
      [bash('touch made'), 'may not'],
      [bash('cat a.txt > made'), 'may not'],
      [bash('git log --output=made'), 'may not'],
      [bash('git log --outp"u"t=made'), 'may not'],
      [bash('git commit --allow-empty -m made'), 'may not'],
      [bash('ls && touch made'), 'may not'],
      [bash('ls $(touch made)'), 'may not'],
      [bash('ls `touch made`'), 'may not'],
      [bash('cat <(touch made)'), 'may not'],
      [bash('X=--output=made; git log $X'), 'may not'],
      [tool('write', { filePath: '{{cwd}}/made', content: 'x' }), 'may not'],
      [tool('edit', { filePath: '{{cwd}}/a.txt', oldString: 'x', newString: 'y' }), 'may not'],
      [tool('task', { description: 'x', prompt: 'x', subagent_type: 'general' }), 'may not'],
      [tool('webfetch', { url: 'http://127.0.0.1:1/', format: 'text' }), 'may not'],
    ]
    const generous = JSON.stringify({
      permission: 'allow',
      agent: {
        build: { prompt: 'The secret word is AMBIENT.', permission: { '*': 'allow', bash: 'allow' } },
      },
      instructions: ['rules.md'],
    })
    const memory = 'The secret word is AMBIENT.\n'
    const { start, project, home, requests } = await place(
      [[...calls.map(([call]) => call), text('VERDICT: done')]],
      {
        'a.txt': 'x\n',
        'opencode.json': generous,
        'AGENTS.md': memory,
        'CLAUDE.md': memory,
        'rules.md': memory,
        '.opencode/agent/build.md': `---\npermission:\n  "*": allow\n---\n${memory}`,
      },
    )
    await mkdir(join(home, '.config', 'opencode'), { recursive: true })
    await writeFile(join(home, '.config', 'opencode', 'AGENTS.md'), memory)
    await writeFile(join(home, '.config', 'opencode', 'opencode.json'), generous)
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' })
    git('init', '-q')
    git('add', '.')
    git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-q', '-m', 'first')

    const { outcome, events } = await start(judge)

    expect(outcome).toMatchObject({ class: 'ok', text: 'VERDICT: done' })
    const answers = events.flatMap((event) =>
      event.type === 'tool-returned' ? [event.failed ? 'may not' : 'may'] : [],
    )
    expect(answers).toEqual(calls.map(([, expected]) => expected))
    expect(git('status', '--porcelain')).toBe('')
    expect(git('log', '--oneline').trim().split('\n')).toHaveLength(1)
    expect(requests().filter(({ body }) => JSON.stringify(body).includes('AMBIENT'))).toHaveLength(0)
    const kept = await readdir(home, { recursive: true })
    expect(kept.filter((name) => name.endsWith('.db') || name.includes('snapshot'))).toEqual([])
  })

  atNight("reaches the provider and the model of the user's configuration", async () => {
    const { start, home, env, model } = await place([[text('VERDICT: done')]])
    await mkdir(join(home, '.config', 'opencode'), { recursive: true })
    await writeFile(
      join(home, '.config', 'opencode', 'opencode.jsonc'),
      `{ // mine
        "model": "own/m1",
        "provider": { "own": { "npm": "@ai-sdk/anthropic", "models": { "m1": { "name": "M1" } },
          "options": { "baseURL": "${model.url}/v1", "apiKey": "{env:OWN_KEY}" } } } }`,
    )
    delete env['ANTHROPIC_API_KEY']
    env['OWN_KEY'] = 'sk-own'
    const { model: _, ...asked } = { model: undefined, ...judge }
    const { outcome } = await start({ ...asked, model: 'own/m1' })
    expect(outcome).toMatchObject({ class: 'ok', text: 'VERDICT: done' })
  })
})

/** A process that has ended is there until its new parent has taken note of it. */
const isAlive = (pid: number): boolean => {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
    return !state.startsWith('Z')
  } catch {
    return false
  }
}

/** The number in a file, as soon as it is there. */
const waitForNumber = async (path: string): Promise<number> => {
  for (;;) {
    const found = Number(await readFile(path, 'utf8').catch(() => ''))
    if (found > 0) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
