import { describe, expect, it } from 'vitest'
import { parseErrorLine, parseLine } from '../../../src/agents/opencode/events.ts'

const line = (type: string, more: object = {}) =>
  JSON.stringify({ type, timestamp: 1796123700241, sessionID: 'ses_1', ...more })

const tool = (state: object) =>
  line('tool_use', { part: { type: 'tool', tool: 'read', callID: 'toolu_1', state } })

describe('the event stream of OpenCode', () => {
  it('begins with a step, which names the session', () => {
    expect(parseLine(line('step_start', { part: {} }))).toEqual([{ type: 'started', session: 'ses_1' }])
  })

  it('says what the model said and thought', () => {
    expect(parseLine(line('text', { part: { text: 'Done' } }))).toEqual([{ type: 'said', text: 'Done' }])
    expect(parseLine(line('reasoning', { part: { text: 'hm' } }))).toEqual([{ type: 'thought' }])
  })

  it('reports a tool when it has ended', () => {
    const input = { filePath: '/p/a.txt' }
    expect(parseLine(tool({ status: 'completed', input, output: 'x' }))).toEqual([
      { type: 'tool-called', id: 'toolu_1', tool: 'read', target: '/p/a.txt' },
      { type: 'tool-returned', id: 'toolu_1', failed: false },
    ])
  })

  it.each([
    ['The user rejected permission to use this specific tool call.', 'read /etc/x'],
    [
      'The user has specified a rule which prevents you from using this specific tool call. Here ...',
      'read /etc/x',
    ],
    ['File not found: /etc/x', undefined],
  ])('tells a refusal from a failure: %s', (error, denied) => {
    const [, returned] = parseLine(tool({ status: 'error', input: { filePath: '/etc/x' }, error }))
    expect(returned).toEqual({
      type: 'tool-returned',
      id: 'toolu_1',
      failed: true,
      ...(denied === undefined ? {} : { denied }),
    })
  })

  it('counts the tokens and the cost of each answer, what was thought among them', () => {
    const part = {
      messageID: 'msg_1',
      reason: 'tool-calls',
      tokens: { total: 1560, input: 10, output: 20, reasoning: 30, cache: { write: 1000, read: 500 } },
      cost: 0.25,
    }
    expect(parseLine(line('step_finish', { part }))).toEqual([
      {
        type: 'usage',
        message: 'msg_1',
        tokens: { input: 10, output: 50, cacheRead: 500, cacheWrite: 1000 },
        costUsd: 0.25,
        finish: 'tool-calls',
        goesOn: true,
      },
    ])
  })

  it.each([
    [
      { name: 'APIError', data: { message: 'no', statusCode: 401 } },
      { error: 'APIError', text: 'no', status: 401 },
    ],
    [
      { name: 'ProviderAuthError', data: { message: '' } },
      { error: 'ProviderAuthError', text: 'ProviderAuthError' },
    ],
    [{ name: 'UnknownError' }, { error: 'UnknownError', text: 'UnknownError' }],
  ])('names an error: %j', (error, expected) => {
    expect(parseLine(line('error', { error }))).toEqual([{ type: 'request-failed', ...expected }])
  })

  it.each([
    ['no JSON', '(malformed)'],
    ['[]', '(malformed)'],
    [line('novelty'), 'novelty'],
    [line('text', { part: {} }), 'text (malformed)'],
    [line('step_finish', { part: { messageID: 'm' } }), 'step_finish (malformed)'],
  ])('counts what it does not know: %s', (text, name) => {
    expect(parseLine(text)).toEqual([{ type: 'unknown', name }])
  })
})

describe('the log of OpenCode', () => {
  const failed = (small: boolean, words: string) =>
    `timestamp=2026-12-01T11:15:30.485Z level=ERROR run=af86 message="stream error" providerID=anthropic small=${small} agent=build error.error="${words}"`

  it('tells of a request that is tried again', () => {
    expect(parseErrorLine(failed(false, 'AI_APICallError: Overloaded'))).toEqual([
      { type: 'retrying', attempt: 0, of: 0, delayMs: 0, cause: 'Overloaded' },
    ])
  })

  it.each([
    [
      '{"error":{"name":"AI_APICallError","requestBodyValues":{"model":"small=true"},"statusCode":429,"data":{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}}}',
      'slow down',
    ],
    [
      '{"error":{"code":"ConnectionRefused","path":"http://127.0.0.1:1/v1/messages","errno":0}}',
      'ConnectionRefused',
    ],
    [
      '{"error":{"name":"AI_APICallError","cause":{"code":"ConnectionRefused","errno":0}}}',
      'ConnectionRefused',
    ],
    ['{"error":{"name":"AI_RetryError"}}', 'AI_RetryError'],
    ['{"error":"novel"}', 'the request failed'],
    ['{torn', 'the request failed'],
  ])('tells of one in a release up to 1.14, which prints the whole request: %s', (error, cause) => {
    const head =
      'ERROR 2026-12-03T07:46:56 +2716ms service=llm providerID=anthropic modelID=claude-sonnet-4-5 sessionID=ses_1'
    const line = (small: boolean) =>
      `${head} small=${small} agent=build mode=primary error=${error} stream error`
    expect(parseErrorLine(line(false))).toMatchObject([{ type: 'retrying', cause }])
    expect(parseErrorLine(line(true))).toEqual([])
  })

  it('tells of a session that is not there, which 1.1.11 hangs on', () => {
    const words =
      ' message: "Resource not found: /h/.local/share/opencode/storage/session/global/ses_1a.json",'
    expect(parseErrorLine(words)).toEqual([{ type: 'session-unknown' }])
  })

  it.each([
    ['agent "nope" not found. Falling back to default agent', '"nope", which it does not know'],
    [
      'agent "explore" is a subagent, not a primary agent. Falling back to default agent',
      '"explore", which is a subagent',
    ],
  ])('tells of a choice of the user that is not honoured: %s', (words, what) => {
    const line = `\u001b[93m\u001b[1m! \u001b[0m ${words}`
    const text = `OpenCode would take its default agent for ${what}: correct \`agent-args\``
    expect(parseErrorLine(line)).toEqual([{ type: 'choice-unknown', text }])
    expect(parseErrorLine(`timestamp=x level=ERROR request="${words}"`)).toEqual([])
  })

  it.each([
    ['of another resource', 'Resource not found: /h/.local/share/opencode/storage/part/msg_1/prt_1.json'],
    ['of the title, which nobody waits for', failed(true, 'AI_RetryError: x')],
    ['of something else', 'timestamp=x level=ERROR message=process error="x"'],
    ['of a permission', '! permission requested: external_directory (/etc/*); auto-rejecting'],
  ])('says nothing %s', (_, text) => {
    expect(parseErrorLine(text)).toEqual([])
  })
})
