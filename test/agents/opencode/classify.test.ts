import { describe, expect, it } from 'vitest'
import type { Ending, Invocation } from '../../../src/agents/agent.ts'
import { classify } from '../../../src/agents/opencode/classify.ts'

const worker: Invocation = {
  role: 'worker',
  prompt: '',
  cwd: '/p',
  session: { kind: 'new' },
  access: 'edit',
}
const resumed: Invocation = { ...worker, session: { kind: 'resume', id: 'ses_1' } }
const judge: Invocation = { ...worker, role: 'judge', session: { kind: 'ephemeral' }, access: 'read-only' }

const answers = {
  count: 2,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  costUsd: 0.5,
  said: 'Done',
  denials: [],
}

const ending = (more: Partial<Ending> = {}): Ending => ({
  exit: 0,
  signal: null,
  results: [],
  requestErrors: [],
  answers: { ...answers, finish: 'stop' },
  stderr: '',
  endedAt: Date.parse('2026-12-01T10:00:00Z'),
  timeZone: 'UTC',
  ...more,
})

const none = { ...answers, count: 0, said: '', costUsd: 0 }
const failed = (text: string, more: object = {}): Partial<Ending> => ({
  exit: 1,
  answers: none,
  requestErrors: [{ error: 'APIError', text, ...more }],
})

describe('what a start of OpenCode came to', () => {
  it('says in a sentence that 1.1.11 does not know the session', () => {
    const stderr =
      'ERROR x\n204 |  throw new NotFoundError()\nNotFoundError: NotFoundError\n message: "Resource not found: /x/session/global/ses_1a.json",'
    expect(classify(ending({ endedBy: 'grace', answers: none, stderr }), resumed)).toMatchObject({
      class: 'stale-session',
      evidence: 'Session not found: ses_1a',
    })
  })

  it('is ok with what the answers add up to', () => {
    expect(classify(ending(), worker)).toEqual({
      class: 'ok',
      text: 'Done',
      costUsd: 0.5,
      tokens: answers.tokens,
      turns: 2,
      denials: [],
      evidence: '',
    })
  })

  it.each<[string, string, Partial<Ending>, Invocation]>([
    [
      'an error that it got over',
      'ok',
      { exit: 1, requestErrors: [{ error: 'ContextOverflowError', text: 'x' }] },
      worker,
    ],
    ['an answer that was cut at its longest', 'ok', { answers: { ...answers, finish: 'length' } }, worker],
    [
      'a turn that ended within its tools',
      'crash',
      { answers: { ...answers, finish: 'tool-calls' } },
      worker,
    ],
    [
      'a refusal in between',
      'permission',
      { answers: { ...answers, finish: 'stop', denials: ['bash x'] } },
      worker,
    ],
    [
      'a refusal that ended the turn',
      'permission',
      { answers: { ...answers, finish: 'tool-calls', denials: ['bash x'] } },
      worker,
    ],
    ['a refusal to a judge', 'ok', { answers: { ...answers, finish: 'stop', denials: ['bash x'] } }, judge],
    [
      'an agent of OpenCode that there is not, at which it was ended',
      'bad-config',
      {
        exit: null,
        signal: 'SIGTERM',
        answers: none,
        requestErrors: [{ error: 'choice-unknown', text: 'x' }],
      },
      worker,
    ],
    [
      'an unknown session',
      'stale-session',
      { exit: 1, answers: none, stderr: '\u001b[91m\u001b[1mError: \u001b[0mSession not found' },
      resumed,
    ],
    [
      'one in 1.2.1 to 1.14.41',
      'stale-session',
      { answers: none, stderr: 'NotFoundError: Session not found: ses_1\n at x' },
      resumed,
    ],
    [
      'one in 1.1.65',
      'stale-session',
      { answers: none, stderr: 'NotFoundError\n Resource not found: /x/ses_1.json' },
      resumed,
    ],
    [
      'one that hangs and says so',
      'stale-session',
      {
        ...{ exit: null, signal: 'SIGTERM', endedBy: 'idle-timeout', answers: none },
        stderr: 'NotFoundError\n Resource not found: /x/ses_1.json',
      },
      resumed,
    ],
    [
      'a model that is slow',
      'timeout',
      { exit: null, signal: 'SIGTERM', endedBy: 'idle-timeout', answers: none },
      resumed,
    ],
    [
      'silence in a new session',
      'timeout',
      { exit: null, signal: 'SIGTERM', endedBy: 'idle-timeout', answers: none },
      worker,
    ],
    [
      'silence after an answer',
      'timeout',
      { endedBy: 'idle-timeout', answers: { ...answers, finish: 'tool-calls' } },
      resumed,
    ],
    [
      'words about a session in a turn that failed later',
      'crash',
      { exit: 1, answers: { ...answers, finish: 'tool-calls' }, stderr: 'Session not found' },
      resumed,
    ],
    [
      'retries against a limit',
      'rate-limit',
      { endedBy: 'idle-timeout', answers: none, retrying: 'This request would exceed your rate limit' },
      resumed,
    ],
    [
      'retries against a usage limit',
      'rate-limit',
      { endedBy: 'idle-timeout', answers: none, retrying: 'Usage limit reached' },
      worker,
    ],
    [
      'retries without a connection',
      'overloaded',
      { endedBy: 'idle-timeout', answers: none, retrying: 'Cannot connect to API' },
      resumed,
    ],
    [
      'a missing key',
      'auth',
      { ...failed('x'), requestErrors: [{ error: 'ProviderAuthError', text: 'API key is missing' }] },
      worker,
    ],
    ['a refused key', 'auth', failed('invalid x-api-key', { status: 401 }), worker],
    ['no credit', 'billing', failed('Your credit balance is too low', { status: 400 }), worker],
    [
      'a refused history',
      'rejected-history',
      failed('messages.1.content.0: Invalid signature', { status: 400 }),
      worker,
    ],
    ['another refusal of a resumed session', 'rejected-history', failed('odd', { status: 400 }), resumed],
    [
      'a session that cannot be read',
      'rejected-history',
      failed('Unexpected server error. Check server logs for details.'),
      resumed,
    ],
    [
      'a torn store',
      'rejected-history',
      { exit: 1, answers: none, stderr: 'database disk image is malformed' },
      resumed,
    ],
    ['an unknown model', 'bad-config', failed('Model not found: a/b'), worker],
    [
      'an unknown option',
      'bad-config',
      { exit: 1, answers: none, stderr: 'opencode run [message..]\n\nrun opencode' },
      worker,
    ],
    [
      'the database of a newer release',
      'bad-config',
      { exit: 1, answers: none, stderr: "Error: Failed to run the query 'CREATE TABLE `project` (" },
      resumed,
    ],
    ['a provider that is down', 'overloaded', failed('Internal server error', { status: 500 }), worker],
    ['a signal', 'killed', { exit: null, signal: 'SIGKILL', answers: none }, worker],
    ['the end by yoke', 'killed', { exit: null, signal: 'SIGTERM', endedBy: 'abort', answers: none }, worker],
    ['nothing at all', 'crash', { answers: none }, worker],
  ])('with %s is %s', (_, expected, more, invocation) => {
    expect(classify(ending(more), invocation).class).toBe(expected)
  })

  it('says what is wrong with a release that loses its last answer', () => {
    const { class: kind, evidence } = classify(
      ending({ answers: { ...answers, finish: 'tool-calls' }, stderr: 'Database migration complete.' }),
      worker,
    )
    expect(kind).toBe('crash')
    expect(evidence).toContain('without its last answer, as 1.15.13 mostly does')
  })

  it.each([
    [
      'Model not found: a/nope. Did you mean: "yes"?',
      'bad-config',
      'timestamp=2026 level=ERROR run=4 message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: a/nope. Did you mean: \\"yes\\"?" cause="ProviderModelNotFoundError: x\\n  at <anonymous>"',
    ],
    [
      'Model not found: a/nope',
      'bad-config',
      '860 |   throw new ModelNotFoundError({})\n   ^\nProviderModelNotFoundError: ProviderModelNotFoundError\n data: {\n  providerID: "a",\n  modelID: "nope",\n  suggestions: [],\n},\n',
    ],
    [
      'Model not found: nope: `model` takes `provider/model`; `opencode models` lists them',
      'bad-config',
      'timestamp=2026 level=ERROR run=4 message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: nope/." cause="x"',
    ],
    [
      'Model not found: nope: `model` takes `provider/model`; `opencode models` lists them',
      'bad-config',
      'ProviderModelNotFoundError: ProviderModelNotFoundError\n data: {\n  providerID: "nope",\n  modelID: "",\n  suggestions: [],\n},\n',
    ],
    [
      'OpenCode cannot read what it has stored of the session',
      'rejected-history',
      'timestamp=2026 level=ERROR run=4 message=failed ref=err_1 error="Error: Failed query: select \\"id\\" from \\"part\\"\\nparams: msg_1"',
    ],
    [
      'JSON Parse error: Unterminated string',
      'rejected-history',
      'timestamp=2026 level=ERROR run=4 message=failed ref=err_1 error="SyntaxError: JSON Parse error: Unterminated string" cause="x"',
    ],
  ])('takes a sentence out of the log: %s', (words, kind, stderr) => {
    const text = 'Unexpected server error. Check server logs for details.'
    expect(
      classify(
        ending({ exit: 1, answers: none, requestErrors: [{ error: 'UnknownError', text }], stderr }),
        resumed,
      ),
    ).toMatchObject({ class: kind, evidence: words })
  })

  it('names when a limit is over', () => {
    const { class: kind, resetsAt } = classify(
      ending({ endedBy: 'idle-timeout', answers: none, retrying: 'Usage limit reached, resets 5pm (UTC)' }),
      worker,
    )
    expect(kind).toBe('rate-limit')
    expect(resetsAt).toBe(Date.parse('2026-12-01T17:00:00Z'))
  })
})
