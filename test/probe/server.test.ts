import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startModelServer } from '../../src/probe/server.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { eventsOf, scenario, serve, startClient, user } from './client.ts'

const blocks = [
  { thinking: 'Let me look. '.repeat(8) },
  { text: 'Grüße 👩‍🚀 '.repeat(20) },
  { tool: 'Read', input: { file_path: '/a' } },
  { tool: 'Read', input: { file_path: '/b', limit: 3 } },
]

/** Puts a message together again, as a client of the API does. */
const assemble = (text: string) => {
  const events = eventsOf(text)
  const start = events[0]?.['message'] as { usage: unknown }
  const content: Record<string, unknown>[] = []
  const json: string[] = []
  let end = {}
  for (const event of events) {
    const index = Number(event['index'])
    const delta = (event['delta'] ?? {}) as Record<string, string>
    if (event.type === 'content_block_start') content[index] = { ...(event['content_block'] as object) }
    const block = content[index] ?? {}
    for (const key of ['text', 'thinking', 'signature'])
      if (event.type === 'content_block_delta' && key in delta) block[key] = `${block[key]}${delta[key]}`
    if (delta['type'] === 'input_json_delta') json[index] = `${json[index] ?? ''}${delta['partial_json']}`
    if (event.type === 'content_block_stop' && json[index]) block['input'] = JSON.parse(json[index])
    if (event.type === 'message_delta') end = { ...delta, usage: event['usage'] }
  }
  return { ...start, content, ...end }
}

describe('POST /v1/messages', () => {
  it('says the same in one piece and as a stream', async () => {
    const ask = async (stream: boolean) => startClient(await serve([[{ blocks }]])).ask({ stream })
    const [whole, streamed] = [await ask(false), await ask(true)]
    expect(streamed.headers['content-type']).toContain('text/event-stream')
    expect(assemble(streamed.text)).toEqual(JSON.parse(whole.text))
    expect(eventsOf(streamed.text).map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'message_start',
        'ping',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ]),
    )
  })

  it('gives every block and message what a client stores of it', async () => {
    const { text, headers } = await startClient(await serve([[{ blocks }]])).ask({
      body: { model: 'claude-x' },
    })
    const message = JSON.parse(text)
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      stop_reason: 'tool_use',
    })
    expect(message.id).toMatch(/^msg_01[0-9a-f]{22}$/)
    expect(headers['request-id']).toMatch(/^req_01[0-9a-f]{22}$/)
    const [thinking, , one, two] = message.content
    expect(Buffer.from(thinking.signature, 'base64').length).toBe(256)
    expect(one).toEqual({
      type: 'tool_use',
      id: expect.stringMatching(/^toolu_01/),
      name: 'Read',
      input: { file_path: '/a' },
    })
    expect(one.id).not.toBe(two.id)
  })

  it('has the same ids and signatures in a second run, and no id twice in one run', async () => {
    const run = async () => {
      const client = startClient(await serve([[{ blocks, times: 2 }]]))
      return [JSON.parse((await client.ask()).text), JSON.parse((await client.ask()).text)]
    }
    const [one, two] = [await run(), await run()]
    expect(one).toEqual(two)
    expect(one[0].content[2].id).not.toBe(one[1].content[2].id)
  })

  it('answers by the tool StructuredOutput where it is offered, else in JSON', async () => {
    const answer = { verdict: 'done' }
    const server = await serve([[{ blocks: [{ answer }], times: 2 }]])
    const client = startClient(server)
    const offered = await client.ask({ body: { tools: [{ name: 'StructuredOutput' }] } })
    expect(JSON.parse(offered.text)).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'StructuredOutput', input: answer }],
    })
    const plain = JSON.parse((await client.ask()).text)
    expect(plain.stop_reason).toBe('end_turn')
    expect(JSON.parse(plain.content[0].text)).toEqual(answer)
  })

  it('takes stop reason, usage, id and signature from the scenario', async () => {
    const reply = {
      blocks: [
        { thinking: 'x', signature: 'sig' },
        { tool: 'Bash', input: {}, id: 'toolu_mine' },
      ],
      stop: 'max_tokens',
      usage: { input_tokens: 985_000 },
    }
    const message = JSON.parse((await startClient(await serve([[reply]])).ask()).text)
    expect(message).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ signature: 'sig' }, { id: 'toolu_mine' }],
    })
    expect(message.usage.input_tokens).toBe(985_000)
    expect(message.usage.output_tokens).toBeGreaterThan(0)
  })

  it('counts a cached prefix as read the second time', async () => {
    const server = await serve([[{ blocks: [{ text: 'a' }], times: 2 }]])
    const client = startClient(server)
    const body = { system: [{ type: 'text', text: 'x'.repeat(4000), cache_control: { type: 'ephemeral' } }] }
    await client.ask({ body })
    await client.ask({ body })
    const [first, second] = server.requests.map(({ usage }) => usage)
    expect(first?.cache_creation_input_tokens).toBeGreaterThan(1000)
    expect(second?.cache_read_input_tokens).toBe(first?.cache_creation_input_tokens)
  })

  it.each([
    ['no JSON', 'oops', 'body: '],
    ['no messages', '{"model":"m","messages":[]}', 'messages: at least one message is required'],
    ['no model', '{"messages":[{"role":"user","content":"x"}]}', 'model: '],
    ['an unknown role', '{"model":"m","messages":[{"role":"robot","content":"x"}]}', 'messages.0.role: '],
  ])('refuses a request with %s', async (_, body, message) => {
    const { status, text } = await startClient(await serve([[{ blocks }]])).send('POST', '/v1/messages', body)
    expect(status).toBe(400)
    expect(JSON.parse(text).error.type).toBe('invalid_request_error')
    expect(JSON.parse(text).error.message).toContain(message)
  })
})

describe('other requests', () => {
  it('counts tokens', async () => {
    const client = startClient(await serve([[{ blocks }]]))
    const count = async (content: string) => {
      const body = JSON.stringify({ model: 'm', messages: [user(content)] })
      return JSON.parse((await client.send('POST', '/v1/messages/count_tokens', body)).text).input_tokens
    }
    expect((await count('x'.repeat(4400))) - (await count('x'.repeat(400)))).toBe(1000)
  })

  it('answers a look at the root', async () => {
    const client = startClient(await serve([[{ blocks }]]))
    expect(await client.send('HEAD', '/', '')).toMatchObject({ status: 200, text: '' })
    expect((await client.send('GET', '/', '')).status).toBe(200)
  })

  it('does not know anything else', async () => {
    const { status, text, headers } = await startClient(await serve([[{ blocks }]])).send(
      'POST',
      '/api/event_logging',
      '{}',
    )
    expect(status).toBe(404)
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: 'Not found: POST /api/event_logging' },
      request_id: headers['request-id'],
    })
  })

  it('refuses a body that the API would refuse, and lives on', async () => {
    const client = startClient(await serve([[{ blocks: [{ text: 'fine' }] }]]))
    const { status, text } = await client.send('POST', '/v1/messages', 'x'.repeat(32 * 1024 * 1024 + 1))
    expect(status).toBe(413)
    expect(JSON.parse(text).error.type).toBe('request_too_large')
    expect(await client.textOf()).toBe('fine')
  })
})

describe('a failing model', () => {
  it('sends errors in the shape of the API, with its headers', async () => {
    const error = {
      status: 429,
      type: 'rate_limit_error',
      message: 'Slow down',
      retryAfter: 7,
      headers: { 'x-a': 'b' },
    }
    const { status, text, headers } = await startClient(await serve([[{ error }]])).ask({ stream: true })
    expect(status).toBe(429)
    expect(headers).toMatchObject({ 'retry-after': '7', 'x-a': 'b' })
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Slow down' },
      request_id: headers['request-id'],
    })
  })

  it('takes its time before the reply and between its pieces', async () => {
    const server = await serve([[{ blocks: [{ text: 'x'.repeat(48 * 4) }], delayMs: 100, chunkDelayMs: 25 }]])
    const start = performance.now()
    await startClient(server).ask({ stream: true })
    expect(performance.now() - start).toBeGreaterThan(190)
  })

  it.each([0, 1, 3])('cuts a stream off after %i events', async (cutAfter) => {
    const server = await serve([[{ blocks, cutAfter }]])
    let received = ''
    const read = async () => {
      const response = await fetch(`${server.url}/v1/messages`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', stream: true, messages: [user('Work')] }),
      })
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) received += decoder.decode(chunk, { stream: true })
    }
    await expect(read()).rejects.toThrow()
    expect(eventsOf(received)).toHaveLength(cutAfter)
  })

  it('cuts a reply in one piece off in its middle', async () => {
    await expect(startClient(await serve([[{ blocks, cutAfter: 1 }]])).ask()).rejects.toThrow('aborted')
  })

  it('is overloaded in the middle of a stream, or at once', async () => {
    const client = startClient(await serve([[{ blocks, overloadedMidStream: true, times: 2 }]]))
    const streamed = await client.ask({ stream: true })
    const events = eventsOf(streamed.text)
    expect(streamed.status).toBe(200)
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    })
    expect(events.some(({ type }) => type === 'content_block_delta')).toBe(true)
    expect(events.some(({ type }) => type === 'message_stop')).toBe(false)
    expect((await client.ask()).status).toBe(529)
  })

  it('outlives a client that goes away, and closes while one waits', async () => {
    const server = await startModelServer({
      scenario: scenario({
        script: {
          worker: [
            [{ blocks, delayMs: 60_000 }, { blocks: [{ text: 'fine' }] }, { blocks, delayMs: 60_000 }],
          ],
        },
      }),
    })
    const body = JSON.stringify({ model: 'm', messages: [user('Work')] })
    const options = { method: 'POST', body, signal: AbortSignal.timeout(100) }
    await expect(fetch(`${server.url}/v1/messages`, options)).rejects.toThrow()
    const client = startClient(server)
    const { text } = await client.send('POST', '/v1/messages', body)
    expect(JSON.parse(text).content[0].text).toBe('fine')
    const waiting = client.send('POST', '/v1/messages', body)
    const closed = new Promise((resolve) => setTimeout(resolve, 50)).then(() => server.close())
    await expect(waiting).rejects.toThrow()
    await closed
  })
})

describe('the record', () => {
  it('holds every request, in memory and in the log, without credentials', async () => {
    const log = join(await temporaryFolder(), 'requests.jsonl')
    const server = await serve([[{ blocks }]], { log, now: () => Date.UTC(2026, 11, 1) })
    const client = startClient(server)
    await client.ask({ messages: [user('Work hard')] })
    await client.send('POST', '/v1/nothing', '{"a":1}', { authorization: 'Bearer secret' })
    expect(server.requests).toMatchObject([
      {
        at: '2026-12-01T00:00:00.000Z',
        role: 'worker',
        turn: 0,
        reply: 0,
        session: 's1',
        method: 'POST',
        path: '/v1/messages?beta=true',
        headers: { 'x-api-key': '[redacted]' },
        body: { messages: [user('Work hard')] },
        status: 200,
      },
      { path: '/v1/nothing', headers: { authorization: '[redacted]' }, body: { a: 1 }, status: 404 },
    ])
    const written = await readFile(log, 'utf8')
    expect(written).not.toContain('secret')
    expect(
      written
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(server.requests)
  })

  it('keeps bodies out of memory when asked to', async () => {
    const log = join(await temporaryFolder(), 'requests.jsonl')
    const server = await serve([[{ blocks }]], { log, keepBodies: false })
    await startClient(server).ask({ messages: [user('Work')] })
    expect(server.requests[0]).not.toHaveProperty('body')
    expect(JSON.parse(await readFile(log, 'utf8')).body.messages).toEqual([user('Work')])
  })

  it('says at once that the log cannot be written', async () => {
    await expect(serve([[{ blocks }]], { log: '/nowhere/at/all.jsonl' })).rejects.toThrow('ENOENT')
  })
})
