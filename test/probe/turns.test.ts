import { describe, expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../../src/probe/server.ts'
import { assistant, result, scenario, serve, startClient, user } from './client.ts'

const says = (text: string, more: Record<string, unknown> = {}) => ({ blocks: [{ text }], ...more })
const failure = { error: { status: 529, type: 'overloaded_error', message: 'Overloaded' } }

describe('a turn', () => {
  it('goes on while results of tools come in', async () => {
    const server = await serve([[says('one'), says('two'), says('three')]])
    const client = startClient(server)
    const messages = [user('Work')]
    expect(await client.textOf({ messages })).toBe('one')
    messages.push(assistant('one'), result('t1'))
    expect(await client.textOf({ messages })).toBe('two')
    messages.push(
      assistant('two'),
      user([
        { type: 'tool_result', tool_use_id: 't2' },
        { type: 'text', text: 'a reminder' },
      ]),
    )
    expect(await client.textOf({ messages })).toBe('three')
    expect(server.requests.map(({ role, turn, reply }) => [role, turn, reply])).toEqual([
      ['worker', 0, 0],
      ['worker', 0, 1],
      ['worker', 0, 2],
    ])
  })

  it('ends when another process resumes the session with a new prompt', async () => {
    const server = await serve([[says('first')], [says('second')]])
    const one = startClient(server)
    expect(await one.textOf()).toBe('first')
    await one.exit()
    const messages = [user('Work'), assistant('first'), user('Go on')]
    expect(await startClient(server).textOf({ messages })).toBe('second')
  })

  it('ends also when the session was trimmed and the new prompt reads like the last one', async () => {
    const server = await serve([[says('a'), says('b')], [says('second')]])
    const one = startClient(server)
    await one.textOf({
      messages: [user('Work'), assistant('x'), result('t1'), assistant('y'), user('Go on')],
    })
    await one.textOf({
      messages: [
        user('Work'),
        assistant('x'),
        result('t1'),
        assistant('y'),
        user('Go on'),
        assistant('a'),
        result('t2'),
      ],
    })
    await one.exit()
    expect(
      await startClient(server).textOf({ messages: [user('Work'), assistant('b'), user('Go on')] }),
    ).toBe('second')
  })

  it('goes on when the same process adds a user message of its own', async () => {
    const server = await serve([[says('VERDICT: done'), says('structured')], [says('second')]])
    const client = startClient(server)
    await client.textOf()
    const messages = [
      user('Work'),
      assistant('VERDICT: done'),
      user('You MUST call the StructuredOutput tool'),
    ]
    expect(await client.textOf({ messages })).toBe('structured')
  })

  it('ends when a session with another id begins, in the same process or not', async () => {
    const client = startClient(await serve([[says('first'), says('unused')], [says('second')]]))
    expect(await client.textOf({ session: 's1' })).toBe('first')
    expect(await client.textOf({ session: 's2' })).toBe('second')
  })

  it('gives a retry the next reply, also after a cut and from a new connection', async () => {
    const server = await serve([
      [{ ...failure, times: 2 }, says('cut', { cutAfter: 2 }), says('fine')],
      [says('second')],
    ])
    const one = startClient(server)
    expect((await one.ask()).status).toBe(529)
    expect((await one.ask()).status).toBe(529)
    await expect(one.ask({ stream: true })).rejects.toThrow()
    await one.exit()
    expect(await startClient(server).textOf()).toBe('fine')
  })

  it('is one subagent: they share the session of their parent and run side by side', async () => {
    const server = await startModelServer({
      scenario: scenario({
        roles: [
          { name: 'helper', match: '^Help' },
          { name: 'worker', match: '^Work' },
        ],
        script: {
          worker: [[says('w1'), says('w2')]],
          helper: [
            [says('a1'), says('a2')],
            [says('b1'), says('b2')],
          ],
        },
      }),
    })
    const client = startClient(server)
    const help = { messages: [user('Help')] }
    const more = { messages: [user('Help'), assistant('x'), result('t1')] }
    expect(await client.textOf()).toBe('w1')
    expect(await client.textOf({ ...help, subagent: 'a' })).toBe('a1')
    expect(await client.textOf({ ...help, subagent: 'b' })).toBe('b1')
    expect(await client.textOf({ ...more, subagent: 'a' })).toBe('a2')
    expect(await client.textOf({ ...more, subagent: 'b' })).toBe('b2')
    expect(await client.textOf({ messages: [user('Work'), assistant('w1'), result('t1')] })).toBe('w2')
    await server.close()
  })

  it('may follow hundreds of others on one connection', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const server = await startModelServer({ scenario: scenario({ repeat: true }) })
    const client = startClient(server)
    for (let session = 0; session < 300; session++) await client.ask({ session: String(session) })
    await server.close()
    expect(server.requests.map(({ turn }) => turn)).toEqual(Array.from({ length: 300 }, (_, turn) => turn))
    expect(warnings).toEqual([])
  })

  it('takes the session from the metadata, as older releases send it', async () => {
    const server = await serve([[says('first')], [says('second')]])
    const client = startClient(server)
    const ids = ['0189aaaa-0000-4000-8000-000000000001', '0189aaaa-0000-4000-8000-000000000002']
    const body = (id: string | undefined) =>
      JSON.stringify({
        model: 'm',
        messages: [user('Work')],
        metadata: { user_id: `user_ab_account__session_${id}` },
      })
    await client.send('POST', '/v1/messages', body(ids[0]))
    await client.send('POST', '/v1/messages', body(ids[1]))
    expect(server.requests.map(({ session, turn }) => [session, turn])).toEqual([
      [ids[0], 0],
      [ids[1], 1],
    ])
  })
})

describe('the end of a script', () => {
  it('is an error that says what is missing', async () => {
    const client = startClient(await serve([[says('one')]]))
    await client.ask()
    const { status, text } = await client.ask({ messages: [user('Work'), assistant('one'), result('t1')] })
    expect(status).toBe(400)
    expect(JSON.parse(text).error).toEqual({
      type: 'invalid_request_error',
      message: 'scenario test has no reply 2 in turn 1 for worker',
    })
    expect(await client.textOf({ session: 's2' })).toBe('scenario test has no turn 2 for worker')
  })

  it('is the last turn for ever, where the scenario repeats', async () => {
    const server = await startModelServer({
      scenario: scenario({ repeat: true, script: { worker: [[says('first')], [says('turn {{turn}}')]] } }),
    })
    const client = startClient(server)
    const texts = []
    for (const session of ['a', 'b', 'c', 'd']) texts.push(await client.textOf({ session }))
    expect(texts).toEqual(['first', 'turn 2', 'turn 3', 'turn 4'])
    await server.close()
  })
})

describe('the role of a request', () => {
  const roles = [
    { name: 'judge', match: '^You are the judge', tool: 'StructuredOutput' },
    { name: 'worker', match: 'notes\\.md' },
    { name: 'scoper', tool: 'Plan' },
  ]
  const tools = (...names: string[]) => ({ tools: names.map((name) => ({ name })) })
  it.each<[string, string, readonly unknown[], Record<string, unknown>?]>([
    ['a line of the first user message', 'worker', [user('Keep .loop/notes.md')]],
    [
      'text behind a reminder',
      'worker',
      [
        user([
          { type: 'text', text: 'reminder' },
          { type: 'text', text: 'notes.md' },
        ]),
      ],
    ],
    ['the system prompt', 'worker', [user('x')], { system: [{ type: 'text', text: 'notes.md' }] }],
    [
      'the first rule that fits',
      'judge',
      [user('Hm.\nYou are the judge of notes.md')],
      tools('StructuredOutput'),
    ],
    ['all that a rule asks for', 'worker', [user('You are the judge of notes.md')]],
    ['a tool on offer', 'scoper', [user('x')], tools('Read', 'Plan')],
    ['no rule', 'other', [user('x')]],
    ['a later message does not count', 'other', [user('x'), assistant('y'), user('notes.md')]],
    [
      'the summary of a compaction',
      'other',
      [user('notes.md'), assistant('y'), user('CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.')],
    ],
    ['a title', 'other', [user('notes.md')], { system: 'You are a title generator. Answer with a title.' }],
  ])('%s: %s', async (_, role, messages, body = {}) => {
    const server = await startModelServer({
      scenario: scenario({
        roles,
        script: { judge: [[says('j')]], worker: [[says('w')]], scoper: [[says('s')]] },
      }),
    })
    await startClient(server).ask({ messages, body })
    expect(server.requests.map((request) => request.role)).toEqual([role])
    await server.close()
  })

  it('stays with the conversation when a compaction has replaced its first message', async () => {
    const server = await serve([[says('one'), says('two')]])
    const client = startClient(server)
    await client.ask()
    await client.ask({ messages: [user('Work'), assistant('one'), user('CRITICAL: Respond with TEXT ONLY')] })
    expect(await client.textOf({ messages: [user('This session goes on from a summary.')] })).toBe('two')
    expect(server.requests.map(({ role }) => role)).toEqual(['worker', 'other', 'worker'])
  })

  it('is `other` with the reply of the scenario, a short text when it has none', async () => {
    const server = await startModelServer({ scenario: scenario({ otherwise: says('A title') }) })
    expect(await startClient(server).textOf({ messages: [user('?')] })).toBe('A title')
    await server.close()
    expect(await startClient(await serve([[says('x')]])).textOf({ messages: [user('?')] })).toBe(
      'Understood.',
    )
  })
})
