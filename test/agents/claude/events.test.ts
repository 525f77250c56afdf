import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../../src/agents/agent.ts'
import { parseLine } from '../../../src/agents/claude/events.ts'

const parse = (value: unknown) => parseLine(JSON.stringify(value))

const usage = {
  input_tokens: 1,
  output_tokens: 2,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 4,
}
const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }

const assistant = (content: unknown, more: object = {}) => ({
  type: 'assistant',
  message: { id: 'm1', model: 'opus', content, usage },
  parent_tool_use_id: null,
  ...more,
})

const usageEvent: AgentEvent = { type: 'usage', message: 'm1', tokens }

describe('a line of the event stream', () => {
  it.each<[string, unknown, readonly AgentEvent[]]>([
    [
      'the start',
      {
        type: 'system',
        subtype: 'init',
        session_id: 's',
        model: 'opus',
        claude_code_version: '2.1.332',
        tools: [],
      },
      [{ type: 'started', session: 's', model: 'opus', version: '2.1.332' }],
    ],
    [
      'the start in an old release',
      { type: 'system', subtype: 'init', session_id: 's' },
      [{ type: 'started', session: 's' }],
    ],
    [
      'several blocks',
      assistant([
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/a b.ts' } },
      ]),
      [
        { type: 'thought' },
        { type: 'said', text: 'Hello' },
        { type: 'tool-called', id: 't1', tool: 'Read', target: '/a b.ts' },
        usageEvent,
      ],
    ],
    [
      'an answer that the provider caches for an hour',
      {
        ...assistant([]),
        message: {
          id: 'm1',
          content: [],
          usage: { ...usage, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 7 } },
        },
      },
      [{ ...usageEvent, isCachedForAnHour: true }],
    ],
    ['a text that is empty', assistant([{ type: 'text', text: '' }]), [usageEvent]],
    [
      'a block of a kind that is new',
      assistant([{ type: 'hologram' }, { type: 'text', text: 'Hello' }]),
      [{ type: 'unknown', name: 'assistant/hologram' }, { type: 'said', text: 'Hello' }, usageEvent],
    ],
    [
      'a block that lacks what is read of it',
      assistant([{ type: 'tool_use', id: 't1' }]),
      [{ type: 'unknown', name: 'assistant/tool_use (malformed)' }, usageEvent],
    ],
    [
      'a subagent, which has a context of its own',
      assistant(
        [
          { type: 'text', text: 'mine' },
          { type: 'tool_use', id: 't2', name: 'Bash', input: { command: 'ls' } },
        ],
        {
          parent_tool_use_id: 't1',
        },
      ),
      [{ type: 'tool-called', id: 't2', tool: 'Bash', target: 'ls' }],
    ],
    [
      'a failed request',
      assistant([{ type: 'text', text: 'Credit balance is too low' }], {
        error: 'billing_error',
        is_api_error_message: true,
      }),
      [{ type: 'request-failed', error: 'billing_error', text: 'Credit balance is too low' }],
    ],
    [
      'words that the CLI puts into the mouth of the model',
      {
        type: 'assistant',
        message: { model: '<synthetic>', content: [{ type: 'text', text: 'No response requested.' }] },
      },
      [],
    ],
    [
      'results of tools',
      {
        type: 'user',
        message: {
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'x', is_error: true },
            { type: 'tool_result', tool_use_id: 't2', content: 'x' },
          ],
        },
      },
      [
        { type: 'tool-returned', id: 't1', failed: true },
        { type: 'tool-returned', id: 't2', failed: false },
      ],
    ],
    ['a prompt', { type: 'user', message: { content: 'Do it' } }, []],
    [
      'a retry',
      {
        type: 'system',
        subtype: 'api_retry',
        attempt: 2,
        max_retries: 10,
        retry_delay_ms: 554,
        error_status: 529,
        error: 'overloaded',
      },
      [{ type: 'retrying', attempt: 2, of: 10, delayMs: 554, cause: '529 overloaded' }],
    ],
    [
      'a retry after no answer',
      {
        type: 'system',
        subtype: 'api_retry',
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: 554,
        error_status: null,
        error: 'unknown',
      },
      [{ type: 'retrying', attempt: 1, of: 10, delayMs: 554, cause: 'unknown' }],
    ],
    [
      'a limit that refuses',
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: 1796200000, rateLimitType: 'five_hour' },
      },
      [{ type: 'limit', resetsAt: 1796200000000, text: 'five hour limit reached' }],
    ],
    [
      'a limit that warns',
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: 1796200000 } },
      [],
    ],
    [
      'a full disk',
      {
        type: 'system',
        subtype: 'session_writes_lost',
        error_code: 'ENOSPC',
        lost: ['transcript', 'global_config'],
      },
      [{ type: 'session-lost', cause: 'ENOSPC' }],
    ],
    [
      'settings of its own that were lost',
      { type: 'system', subtype: 'session_writes_lost', error_code: 'ENOSPC', lost: ['global_config'] },
      [],
    ],
    [
      'a background command',
      {
        type: 'system',
        subtype: 'task_started',
        task_id: 'b1',
        task_type: 'local_bash',
        description: 'server',
        is_backgrounded: true,
      },
      [{ type: 'background-started', id: 'b1', kind: 'command', target: 'server' }],
    ],
    [
      'a background agent',
      {
        type: 'system',
        subtype: 'task_started',
        task_id: 'b2',
        task_type: 'local_agent',
        description: 'look',
        is_backgrounded: true,
      },
      [{ type: 'background-started', id: 'b2', kind: 'agent', target: 'look' }],
    ],
    [
      'a subagent in the foreground',
      {
        type: 'system',
        subtype: 'task_started',
        task_id: 'b3',
        task_type: 'local_agent',
        is_backgrounded: false,
      },
      [],
    ],
    [
      'the end of a background task',
      { type: 'system', subtype: 'task_notification', task_id: 'b1', status: 'completed' },
      [{ type: 'background-ended', id: 'b1' }],
    ],
    ['a known line that says nothing to yoke', { type: 'stream_event', event: {} }, []],
    ['a new type', { type: 'telepathy' }, [{ type: 'unknown', name: 'telepathy' }]],
    [
      'a new subtype',
      { type: 'system', subtype: 'telepathy' },
      [{ type: 'unknown', name: 'system/telepathy' }],
    ],
    ['a line without type', { a: 1 }, [{ type: 'unknown', name: '(malformed)' }]],
    [
      'a start without session',
      { type: 'system', subtype: 'init' },
      [{ type: 'unknown', name: 'system/init (malformed)' }],
    ],
  ])('is %s', (_, line, expected) => {
    expect(parse(line)).toEqual(expected)
  })

  it('is a result with all that it says', () => {
    const [event] = parse({
      type: 'result',
      subtype: 'success',
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: 429,
      session_id: 's',
      num_turns: 2,
      duration_ms: 3,
      total_cost_usd: 0.5,
      usage,
      result: 'text',
      errors: ['e'],
      permission_denials: [
        { tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'touch  x\n' } },
        { tool_name: 'Odd' },
      ],
      structured_output: { verdict: 'done' },
    })
    expect(event).toEqual({
      type: 'result',
      result: {
        subtype: 'success',
        isError: true,
        terminalReason: 'api_error',
        apiStatus: 429,
        session: 's',
        turns: 2,
        durationMs: 3,
        costUsd: 0.5,
        tokens,
        text: 'text',
        errors: ['e'],
        denials: ['Bash touch x', 'Odd'],
        answer: { verdict: 'done' },
      },
    })
  })

  it.each([
    ['cost_usd', 1.0],
    ['total_cost', 1.0],
  ])('is a result of a release that calls the cost %s', (key) => {
    expect(parse({ type: 'result', subtype: 'success', [key]: 0.25 })).toMatchObject([
      { result: { costUsd: 0.25, isError: false } },
    ])
  })

  it('is a result that cost nothing when it names no cost', () => {
    expect(parse({ type: 'result', subtype: 'success' })).toMatchObject([{ result: { costUsd: 0 } }])
  })

  it.each(['', '   ', '\r'])('that is blank (%j) is nothing', (line) => {
    expect(parseLine(line)).toEqual([])
  })

  it.each(['{"type":"resu', 'Warning: no stdin', 'null', '[]', '"x"'])(
    'that is no event (%s) is unknown',
    (line) => {
      expect(parseLine(line)).toEqual([{ type: 'unknown', name: '(malformed)' }])
    },
  )

  it('never makes the parser throw', () => {
    const types = fc.constantFrom('system', 'assistant', 'user', 'result', 'rate_limit_event', 'x')
    const subtypes = fc.constantFrom('init', 'api_retry', 'task_started', 'task_notification', 'y')
    fc.assert(
      fc.property(
        fc.record({
          type: types,
          subtype: subtypes,
          message: fc.jsonValue(),
          rate_limit_info: fc.jsonValue(),
          usage: fc.jsonValue(),
        }),
        (line) => {
          parse(line)
        },
      ),
    )
    fc.assert(fc.property(fc.string(), (line) => void parseLine(line)))
  })
})
