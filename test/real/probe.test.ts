import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { probeEnvironment } from '../../src/probe/environment.ts'
import {
  messagesRequest,
  messageTexts,
  prefixBytes,
  toolResults,
  toolUses,
} from '../../src/probe/request-view.ts'
import { parseScenario } from '../../src/probe/scenario.ts'
import demo from '../../src/probe/scenarios/demo.json' with { type: 'json' }
import demoProject from '../../src/probe/scenarios/demo-project.json' with { type: 'json' }
import { startModelServer } from '../../src/probe/server.ts'
import { claudePath } from '../helpers/claude.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const run = promisify(execFile)

type Result = {
  readonly session_id: string
  readonly is_error: boolean
  readonly result: string
  readonly structured_output?: unknown
}

/** A project, a server that plays `scenario`, and the CLI in a home of its own. */
const setUp = async (scenario: unknown, files: Readonly<Record<string, string>>) => {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'project')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), text)
  }
  const server = await startModelServer({ scenario: parseScenario(scenario), variables: { cwd } })
  onTestFinished(() => server.close())
  const env = probeEnvironment({ url: server.url, home: join(folder, 'home'), base: process.env })
  const claude = async (prompt: string, ...args: string[]): Promise<Result> => {
    const base = [
      '-p',
      '--model',
      'claude-sonnet-4-5',
      '--output-format',
      'json',
      '--permission-mode',
      'acceptEdits',
    ]
    const child = run(claudePath(), [...base, ...args], { cwd, env })
    child.child.stdin?.end(prompt)
    const { stdout } = await child.catch((error) => error as { stdout: string })
    return JSON.parse(stdout)
  }
  const test = () =>
    run(process.execPath, ['test.js'], { cwd }).then(
      () => 'passes',
      () => 'fails',
    )
  return { server, claude, test }
}

const small = (script: readonly unknown[]) => ({
  name: 'small',
  roles: [{ name: 'worker', match: '^Work' }],
  script: { worker: script },
})
const says = (text: string) => ({ blocks: [{ text }] })
const verdictSchema = JSON.stringify({
  type: 'object',
  properties: { verdict: { type: 'string' }, reasons: { type: 'array' }, next: { type: 'string' } },
  required: ['verdict'],
})

describe('the real CLI against the model server', () => {
  it('plays the demo: a failing check, an objection, done', async () => {
    const { server, claude, test } = await setUp(demo, demoProject.files)
    const judge = () =>
      claude('You are the judge of a task.', '--no-session-persistence', '--json-schema', verdictSchema)
    expect(await test()).toBe('fails')
    const { session_id: session } = await claude('Work on task.md. Keep .loop/notes.md.')
    expect(await test()).toBe('fails')
    await claude('The check failed.', '--resume', session)
    expect(await test()).toBe('passes')
    expect((await judge()).structured_output).toMatchObject({ verdict: 'continue' })
    await claude('The judge objects.', '--resume', session)
    expect(await test()).toBe('passes')
    expect((await judge()).structured_output).toMatchObject({ verdict: 'done' })

    const turns = server.requests.map(({ role, turn, status }) => `${role} ${turn} ${status}`)
    const count = (turn: string) => turns.filter((each) => each === turn).length
    expect(new Set(turns)).toEqual(
      new Set(['worker 0 200', 'worker 1 200', 'judge 0 200', 'worker 2 200', 'judge 1 200']),
    )
    expect(['worker 0 200', 'worker 1 200', 'worker 2 200'].map(count)).toEqual([8, 7, 6])

    const worker = server.requests.filter(({ role }) => role === 'worker')
    const last = worker.at(-1)
    if (last === undefined) throw new Error('no request')
    const results = toolResults(last)
    expect(toolUses(last).filter(({ id }) => !results.has(id))).toEqual([])
    expect([...results.values()].filter((text) => /error|denied|failed|not been read/i.test(text))).toEqual(
      [],
    )
    for (const [index, request] of worker.slice(1).entries()) {
      const earlier = worker[index]
      const messages = earlier === undefined ? 0 : messagesRequest(earlier).messages.length
      expect(prefixBytes(request, messages)).toBe(prefixBytes(earlier ?? {}, messages))
    }
    const [first, second] = worker
    expect(second?.usage?.cache_read_input_tokens).toBe(first?.usage?.cache_creation_input_tokens)
  })

  it('gives retries, and the call for a structured answer, replies of the same turn', async () => {
    const { server, claude } = await setUp(
      small([
        [
          { times: 2, error: { status: 529, type: 'overloaded_error', message: 'Overloaded' } },
          { cutAfter: 5, blocks: [{ text: 'cut '.repeat(40) }] },
          { overloadedMidStream: true, blocks: [{ text: 'cut '.repeat(40) }] },
          says('No tool for me'),
          { blocks: [{ answer: { verdict: 'done' } }] },
          says('unused'),
        ],
      ]),
      { 'a.txt': 'a\n' },
    )
    const { structured_output: answer } = await claude('Work', '--json-schema', verdictSchema)
    expect(answer).toEqual({ verdict: 'done' })
    expect(server.requests.map(({ role, turn, reply }) => [role, turn, reply])).toEqual(
      [0, 1, 2, 3, 4, 5].map((reply) => ['worker', 0, reply]),
    )
  })

  it('serves the summary of a compaction without a reply of the worker, and knows the worker afterwards', async () => {
    const { server, claude } = await setUp(
      small([
        [{ blocks: [{ tool: 'Read', input: { file_path: '{{cwd}}/a.txt' } }] }, says('one')],
        [says('two')],
      ]),
      { 'a.txt': 'a\n'.repeat(200) },
    )
    const { session_id: session } = await claude('Work')
    await claude('/compact', '--resume', session)
    expect((await claude('Go on', '--resume', session)).result).toBe('two')
    const roles = server.requests.map(({ role }) => role)
    expect(roles.slice(0, 2)).toEqual(['worker', 'worker'])
    expect(new Set(roles.slice(2, -1))).toEqual(new Set(['other']))
    expect(roles.at(-1)).toBe('worker')
    expect(messageTexts(server.requests.at(-1) ?? {})[0]?.text).toContain('Understood.')
  })

  it('tells subagents apart', async () => {
    const agent = (prompt: string) => ({
      tool: 'Agent',
      input: { description: 'helps', prompt, subagent_type: 'general-purpose' },
    })
    const { server, claude } = await setUp(
      {
        name: 'agents',
        roles: [
          { name: 'helper', match: '^Help' },
          { name: 'worker', match: '^Work' },
        ],
        script: {
          worker: [[{ blocks: [agent('Help one'), agent('Help two')] }, ...Array(4).fill(says('waiting'))]],
          helper: [[says('helped')], [says('helped')]],
        },
      },
      { 'a.txt': 'a\n' },
    )
    expect((await claude('Work')).is_error).toBe(false)
    const helpers = server.requests.filter(({ role }) => role === 'helper')
    expect(helpers.map(({ turn, reply }) => [turn, reply])).toEqual([
      [0, 0],
      [1, 0],
    ])
    expect(new Set(helpers.map(({ session }) => session)).size).toBe(1)
  })

  it('lets the CLI say what the script lacks', async () => {
    const { claude } = await setUp(small([[says('one')]]), { 'a.txt': 'a\n' })
    const { session_id: session } = await claude('Work')
    const { is_error, result } = await claude('Go on', '--resume', session)
    expect(is_error).toBe(true)
    expect(result).toContain('scenario small has no turn 2 for worker')
  })
})
