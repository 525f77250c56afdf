import { describe, expect, it } from 'vitest'
import type { AgentResult, Ending, Invocation, OutcomeClass } from '../../../src/agents/agent.ts'
import { classify } from '../../../src/agents/claude/classify.ts'

const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }

const finished: AgentResult = {
  subtype: 'success',
  isError: false,
  terminalReason: 'completed',
  session: 'abc',
  turns: 3,
  durationMs: 1000,
  costUsd: 0.5,
  tokens,
  text: 'All done',
  errors: [],
  denials: [],
}

/** How a failed request looks: a success that is an error. */
const failed = (text: string, apiStatus?: number, terminalReason = 'api_error'): AgentResult => ({
  ...finished,
  isError: true,
  terminalReason,
  text,
  ...(apiStatus === undefined ? {} : { apiStatus }),
})

const aborted = (errors: readonly string[], subtype = 'error_during_execution'): AgentResult => {
  const { terminalReason: _, ...rest } = finished
  return { ...rest, subtype, isError: true, text: '', errors }
}

const ended: Ending = {
  exit: 1,
  signal: null,
  results: [],
  requestErrors: [],
  stderr: '',
  endedAt: Date.parse('2026-07-14T10:00:00Z'),
  timeZone: 'UTC',
}

const fresh: Invocation = { role: 'worker', prompt: '', cwd: '/p', session: { kind: 'new' }, access: 'edit' }
const resumed: Invocation = { ...fresh, session: { kind: 'resume', id: 'abc' } }
const judge: Invocation = { ...fresh, role: 'judge', session: { kind: 'ephemeral' }, access: 'read-only' }

const classOf = (ending: Partial<Ending>, invocation = fresh) =>
  classify({ ...ended, ...ending }, invocation).class

const request = (error: string, text: string) => [{ error, text }]

describe('the class of an ending', () => {
  // Texts as Claude Code 2.1.332 printed them against a scripted model server, unless the row says otherwise.
  it.each<[string, OutcomeClass, AgentResult]>([
    [
      '429',
      'rate-limit',
      failed('API Error: Request rejected (429) · This request would exceed your rate limit', 429),
    ],
    [
      'a limit of a subscription',
      'rate-limit',
      failed("You've hit your limit · resets 5pm (Europe/Vilnius)"),
    ],
    ['the same, older', 'rate-limit', failed('Claude AI usage limit reached|1796200000')],
    [
      'a weekly limit',
      'rate-limit',
      failed("You've hit your weekly limit · resets Jul 15 at 12am (Australia/Melbourne)"),
    ],
    [
      'a spend limit that is reset',
      'rate-limit',
      failed("You've hit your monthly spend limit. It resets Aug 8."),
    ],
    [
      '529',
      'overloaded',
      failed('API Error: 529 Overloaded. This is a server-side issue, usually temporary', 529),
    ],
    ['500', 'overloaded', failed('API Error: 500 Internal server error. This is a server-side issue', 500)],
    [
      'no network',
      'overloaded',
      failed('API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)'),
    ],
    ['no answer', 'overloaded', failed('No messages returned')],
    ['401', 'auth', failed('Invalid API key · Fix external API key', 401)],
    ['no login', 'auth', failed('Not logged in · Please run /login')],
    [
      'a revoked login',
      'auth',
      failed(
        'Failed to authenticate: OAuth token revoked. Please log in again or contact your administrator.',
        403,
      ),
    ],
    ['no credit', 'billing', failed('Credit balance is too low', 400)],
    [
      'a disabled organization',
      'billing',
      failed('Failed to authenticate. API Error: 403 This organization has been disabled.', 403),
    ],
    ['a spend limit', 'billing', failed("You've hit your monthly spend limit · /usage-credits to raise it")],
    [
      'a prompt that is too long',
      'context-full',
      failed('Prompt is too long · the request is ~210000 tokens (limit 200000)', 400, 'prompt_too_long'),
    ],
    [
      'the same, older',
      'context-full',
      failed(
        'API Error: 400 input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
        400,
      ),
    ],
    [
      'a request that is too large',
      'context-full',
      failed('Request too large (max 32MB). Accumulated images and attachments', 413, 'image_error'),
    ],
    [
      'a foreign signature',
      'rejected-history',
      failed('API Error: 400 messages.1.content.0: Invalid signature in thinking block', 400),
    ],
    [
      'a tool call without result',
      'rejected-history',
      failed('API Error: 400 due to tool use concurrency issues.', 400),
    ],
    [
      'a result without tool call',
      'rejected-history',
      failed('API Error: 400 orphaned tool_result in conversation history.', 400),
    ],
    [
      'an unknown model',
      'bad-config',
      failed(
        "There's an issue with the selected model (x). It may not exist or you may not have access to it.",
        404,
      ),
    ],
    [
      'too many turns',
      'max-turns',
      { ...aborted(['Reached maximum number of turns (1)'], 'error_max_turns'), terminalReason: 'max_turns' },
    ],
    [
      'a spent budget',
      'budget',
      {
        ...aborted(['Reached maximum budget ($0.1)'], 'error_max_budget_usd'),
        terminalReason: 'budget_exhausted',
      },
    ],
    ['an unknown 400', 'crash', failed('API Error: 400 max_tokens: 99 is too large', 400)],
    ['an unknown error', 'crash', failed('Something new')],
    ['an unknown subtype', 'crash', aborted(['Odd'], 'error_of_tomorrow')],
    [
      'an answer that never fits its schema',
      'crash',
      aborted(['Failed to provide valid structured output'], 'error_max_structured_output_retries'),
    ],
  ])('%s is %s', (_, expected, result) => {
    const outcome = classify({ ...ended, results: [result] }, fresh)
    expect(outcome.class).toBe(expected)
    expect(outcome.evidence).toBe(result.text || result.errors[0])
  })

  it.each<[string, OutcomeClass, Partial<Ending>]>([
    ['exit code 0 with a result', 'ok', { exit: 0, results: [finished] }],
    [
      'a result that yoke waited for in vain to exit',
      'ok',
      { exit: null, signal: 'SIGTERM', endedBy: 'grace', results: [finished] },
    ],
    ['a failing exit code after a good result', 'crash', { exit: 1, results: [finished] }],
    ['no result at all', 'crash', { exit: 1 }],
    [
      'a success that is an error, with exit code 0',
      'overloaded',
      { exit: 0, results: [failed('API Error: 529 Overloaded', 529)] },
    ],
    [
      'a second result that failed',
      'rate-limit',
      { results: [finished, failed('API Error: Request rejected (429)', 429)] },
    ],
    [
      'a first result that failed',
      'ok',
      { exit: 0, results: [failed('API Error: 529 Overloaded', 529), finished] },
    ],
    ['an interrupt, which exits 0', 'killed', { exit: 0 }],
    ['a signal', 'killed', { exit: null, signal: 'SIGKILL' }],
    ['the exit code of a signal', 'killed', { exit: 143 }],
    [
      'an abort',
      'killed',
      { exit: null, signal: 'SIGTERM', endedBy: 'abort', results: [failed('Request interrupted')] },
    ],
    ['the time limit', 'timeout', { exit: null, signal: 'SIGTERM', endedBy: 'iteration-timeout' }],
    ['silence', 'timeout', { exit: 143, endedBy: 'idle-timeout' }],
    [
      'the time limit while the provider is overloaded',
      'overloaded',
      { exit: 143, endedBy: 'iteration-timeout', retrying: '529 overloaded' },
    ],
    [
      'the time limit while requests are refused',
      'rate-limit',
      { exit: 143, endedBy: 'iteration-timeout', retrying: '429 rate_limit' },
    ],
    [
      'a request error without result',
      'auth',
      { requestErrors: request('authentication_failed', 'Please run /login') },
    ],
    ['a request error that is new', 'crash', { requestErrors: request('unknown', 'Odd') }],
    ['an unknown option', 'bad-config', { stderr: "error: unknown option '--nope'\n(Did you mean --name?)" }],
    [
      'a wrong value',
      'bad-config',
      {
        stderr:
          "error: option '--permission-mode <mode>' argument 'bad' is invalid. Allowed choices are plan.",
      },
    ],
    [
      'a missing file',
      'bad-config',
      { stderr: 'Error: Invalid MCP configuration:\nMCP config file not found: /x' },
    ],
    ['a stack trace', 'crash', { exit: 134, stderr: 'panic: Segmentation fault' }],
    [
      'a refused limit',
      'rate-limit',
      { results: [failed('Odd')], limit: { text: 'five hour limit reached' } },
    ],
  ])('%s is %s', (_, expected, ending) => {
    expect(classOf(ending)).toBe(expected)
  })

  const noSession = 'No conversation found with session ID: abc'
  it.each<[string, Partial<Ending>]>([
    ['on standard error only (up to 2.1.7)', { stderr: `${noSession}\n` }],
    ['in the result only (2.1.8 to 2.1.100)', { results: [aborted([noSession])] }],
    ['in both', { results: [aborted([noSession])], stderr: noSession }],
    [
      'for an id that is no UUID',
      {
        results: [
          aborted(['Error: --resume requires a valid session ID or session title when used with --print.']),
        ],
      },
    ],
  ])('an unknown session is stale-session, said %s', (_, ending) => {
    expect(classOf(ending, resumed)).toBe('stale-session')
    expect(classOf(ending, fresh)).toBe('crash')
  })

  it('an unknown 400 of a resumed session is rejected-history: the session is the likeliest cause', () => {
    expect(classOf({ results: [failed('API Error: 400 something new', 400)] }, resumed)).toBe(
      'rejected-history',
    )
  })

  it('the text of a good result is never evidence, whatever it quotes', () => {
    const quoting = { ...finished, text: 'Credit balance is too low; please run /login; prompt is too long' }
    expect(classOf({ exit: 0, results: [quoting] })).toBe('ok')
    expect(classOf({ exit: 1, results: [quoting] })).toBe('crash')
  })

  it('calls denied to a worker are named; to a judge they are the rule', () => {
    const denied = { ...finished, denials: ['Bash npm test', 'Write a.ts'] }
    expect(classify({ ...ended, exit: 0, results: [denied] }, fresh)).toMatchObject({
      class: 'permission',
      evidence: 'Denied: Bash npm test, Write a.ts',
      denials: denied.denials,
    })
    expect(classify({ ...ended, exit: 0, results: [denied] }, judge)).toMatchObject({
      class: 'ok',
      evidence: '',
    })
  })
})

describe('the outcome', () => {
  it('holds what the last result says', () => {
    const first = { ...finished, costUsd: 0.1, text: 'half', answer: { verdict: 'continue' } }
    const last = { ...finished, answer: { verdict: 'done' } }
    expect(classify({ ...ended, exit: 0, results: [first, last] }, judge)).toEqual({
      class: 'ok',
      session: 'abc',
      text: 'All done',
      answer: { verdict: 'done' },
      costUsd: 0.5,
      tokens,
      turns: 3,
      denials: [],
      evidence: '',
    })
  })

  it('keeps cost and tokens of a failed start: they were paid', () => {
    expect(classify({ ...ended, results: [failed('API Error: 529', 529)] }, fresh)).toMatchObject({
      costUsd: 0.5,
      tokens,
    })
  })

  it('names the reset time that the event gives, else the one in the message', () => {
    const results = [failed("You've hit your limit · resets 5pm (UTC)")]
    const resetsAt = Date.parse('2026-07-14T12:00:00Z')
    expect(classify({ ...ended, results }, fresh).resetsAt).toBe(Date.parse('2026-07-14T17:00:00Z'))
    expect(classify({ ...ended, results, limit: { resetsAt, text: '' } }, fresh).resetsAt).toBe(resetsAt)
  })

  it('finds the telling line of a crash', () => {
    const stderr = `file:///cli.js:9\n${'x;'.repeat(900)}\n  ^\n\nTypeError: a is not a function\n    at b (file:///cli.js:9:1)\n\nNode.js v20\n`
    expect(classify({ ...ended, stderr }, fresh).evidence).toBe('TypeError: a is not a function Node.js v20')
  })

  it('is one line of evidence, however much was said', () => {
    const { evidence } = classify({ ...ended, stderr: `a\n\nb\n${'more\n'.repeat(1000)}` }, fresh)
    expect(evidence).toMatch(/^a b/)
    expect(evidence).not.toContain('\n')
    expect(evidence.length).toBeLessThanOrEqual(400)
  })

  it.each<[string, Partial<Ending>]>([
    ['Exit code 1 without a result', {}],
    ['Killed by SIGKILL', { exit: null, signal: 'SIGKILL' }],
    ['The iteration took too long', { endedBy: 'iteration-timeout' }],
    ['The agent was silent for too long', { endedBy: 'idle-timeout' }],
  ])('says "%s" when the agent said nothing', (expected, ending) => {
    expect(classify({ ...ended, ...ending }, fresh).evidence).toBe(expected)
  })
})
