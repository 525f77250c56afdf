import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEvent, CommandLine, Installation, Invocation } from '../../src/agents/agent.ts'
import { claude } from '../../src/agents/claude/claude.ts'
import { type AgentOptions, startAgent } from '../../src/run/agent-process.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const program = join(import.meta.dirname, '..', 'fixtures', 'programs', 'plays-lines.mjs')

const init = { type: 'system', subtype: 'init', session_id: 'abc' }
const result = { type: 'result', subtype: 'success', session_id: 'abc', result: 'Done', total_cost_usd: 0.5 }

/** Claude Code as far as its output goes: a program that prints these lines. */
const start = async (
  lines: readonly (object | string)[],
  more: Partial<Invocation> = {},
  options: Partial<AgentOptions> = {},
) => {
  const events: AgentEvent[] = []
  const inspected: string[] = []
  const installations: (Installation | undefined)[] = []
  const printed = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  const home = await temporaryFolder()
  const run = await startAgent(
    {
      ...claude,
      commandLine: (file, invocation, env, installation) => {
        installations.push(installation)
        return { ...claude.commandLine(file, invocation, env, installation), args: [program, ...printed] }
      },
      inspect: async (file, _env, _launch, home) => {
        inspected.push(home === 'of-user' ? file : home)
        return { settings: { model: 'm' }, env: { PROXY: 'p' } }
      },
    },
    process.execPath,
    { role: 'judge', prompt: 'x', cwd: home, session: { kind: 'ephemeral' }, access: 'edit', ...more },
    {
      env: { HOME: home, PATH: process.env['PATH'] },
      onEvent: (event) => {
        events.push(event)
      },
      ...options,
    },
  )
  return { ...run, events, inspected, installations }
}

describe('a start of an agent', () => {
  it('looks into the home of the user on the host; in an image its home is one that the worker writes to', async () => {
    const judge = { access: 'read-only' } as const
    const place = {
      launch: (command: CommandLine) => command,
      failure: () => undefined,
      sweep: async () => {},
    }
    expect(await start([init, result], judge)).toMatchObject({
      inspected: [process.execPath],
      installations: [{ settings: { model: 'm' }, env: { PROXY: 'p' } }],
    })
    expect((await start([init, result], judge, { place })).inspected).toEqual(['of-project'])
  })

  it('gives its events as they come and the outcome at the end', async () => {
    const { events, outcome, ending } = await start([init, result])
    expect(events.map(({ type }) => type)).toEqual(['started', 'result'])
    expect(outcome).toMatchObject({ class: 'ok', session: 'abc', text: 'Done', costUsd: 0.5 })
    expect(ending).toMatchObject({ exit: 0, signal: null, stderr: '' })
    expect(Math.abs(ending.endedAt - Date.now())).toBeLessThan(10_000)
  })

  it('counts what it does not understand, and goes on', async () => {
    const { outcome, unknownEvents } = await start([
      init,
      'Warning: odd',
      { type: 'new' },
      { type: 'new' },
      result,
    ])
    expect(outcome.class).toBe('ok')
    expect(unknownEvents).toEqual(
      new Map([
        ['(malformed)', 1],
        ['new', 2],
      ]),
    )
  })

  it('without a session file where one should be is found out', async () => {
    expect((await start([init, result], { session: { kind: 'new' } })).outcome).toMatchObject({
      class: 'no-transcript',
      session: 'abc',
      costUsd: 0.5,
    })
  })

  describe('that goes on with a session', () => {
    const before = '{"type":"user","message":"Do the task"}\n'
    const added = '{"type":"assistant"}\n'

    /** `during` is what comes of the session file while the agent runs. */
    const goOn = async (during: (file: string) => void, answers: object = result) => {
      const home = await temporaryFolder()
      const file = join(home, '.claude', 'projects', 'p', 'abc.jsonl')
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, before)
      const { outcome } = await start(
        [init, answers],
        { role: 'worker', session: { kind: 'resume', id: 'abc' } },
        {
          env: { HOME: home, PATH: process.env['PATH'] },
          onEvent: ({ type }) => {
            if (type === 'started') during(file)
          },
        },
      )
      return outcome
    }

    it.each<[string, string, (file: string) => void]>([
      ['ok when the turn was added to it', 'ok', (file) => appendFileSync(file, added)],
      [
        'no-transcript when nothing was added (anthropics/claude-code#22566, #80561, #79188)',
        'no-transcript',
        () => {},
      ],
      [
        'stale-session when the file was deleted, so that the CLI began a new one (measured on Claude Code 2.1.332)',
        'stale-session',
        (file) => {
          rmSync(file)
          writeFileSync(file, added.repeat(9))
        },
      ],
      [
        'stale-session when the new one is shorter than the beginning of the old',
        'stale-session',
        (file) => writeFileSync(file, added),
      ],
      ['no-transcript when the file is gone', 'no-transcript', (file) => rmSync(file)],
    ])('is %s', async (_, expected, during) => {
      expect((await goOn(during)).class).toBe(expected)
    })

    it('keeps another class, and is not compared with a session of another id', async () => {
      const limit = { ...result, is_error: true, result: 'API Error: 529 Overloaded', api_error_status: 529 }
      expect((await goOn(() => {}, limit)).class).toBe('overloaded')
      const renamed = { ...result, session_id: 'new' }
      const copy = (file: string) => writeFileSync(join(dirname(file), 'new.jsonl'), before)
      expect(await goOn(copy, renamed)).toMatchObject({ class: 'ok', session: 'new' })
    })
  })

  it('that failed keeps its class, session file or not', async () => {
    const failed = { ...result, is_error: true, result: 'API Error: 529 Overloaded', api_error_status: 529 }
    expect((await start([init, failed], { session: { kind: 'new' } })).outcome.class).toBe('overloaded')
  })

  it('that was cut off still names its session', async () => {
    expect((await start([init], { session: { kind: 'new' } })).outcome).toMatchObject({
      class: 'killed',
      session: 'abc',
    })
  })

  it('leaves its raw output in a file, also what was not understood', async () => {
    const stdoutFile = join(await temporaryFolder(), 'stream.jsonl')
    await start(['odd', result], {}, { stdoutFile })
    expect(await readFile(stdoutFile, 'utf8')).toBe(`odd\n${JSON.stringify(result)}\n`)
  })
})
