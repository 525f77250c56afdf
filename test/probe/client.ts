import { Agent, request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Scenario } from '../../src/probe/scenario.ts'
import { parseScenario } from '../../src/probe/scenario.ts'
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../src/probe/server.ts'

export const scenario = (parts: Record<string, unknown>): Scenario =>
  parseScenario({
    name: 'test',
    roles: [{ name: 'worker', match: '^Work' }],
    script: { worker: [[{ blocks: [{ text: 'done' }] }]] },
    ...parts,
  })

/** A server for a scenario of one role, `worker`, with these turns; closed when the test has finished. */
export const serve = async (
  turns: readonly unknown[],
  options: Partial<ModelServerOptions> = {},
): Promise<ModelServer> => {
  const server = await startModelServer({ scenario: scenario({ script: { worker: turns } }), ...options })
  onTestFinished(() => server.close())
  return server
}

export const user = (content: unknown) => ({ role: 'user', content })
export const assistant = (content: unknown) => ({ role: 'assistant', content })
export const result = (id: string, content: unknown = 'fine') =>
  user([{ type: 'tool_result', tool_use_id: id, content }])

export type Ask = {
  readonly messages?: readonly unknown[]
  readonly stream?: boolean
  readonly session?: string
  readonly subagent?: string
  readonly body?: Record<string, unknown>
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Stands for one process of an agent: its connections stay open until it exits. */
export const startClient = ({ port }: ModelServer) => {
  const agent = new Agent({ keepAlive: true })
  const send = (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
        response.on('error', reject)
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  const ask = ({
    messages = [user('Work')],
    stream = false,
    session = 's1',
    subagent,
    body = {},
  }: Ask = {}) =>
    send('POST', '/v1/messages?beta=true', JSON.stringify({ model: 'm', stream, messages, ...body }), {
      'x-claude-code-session-id': session,
      'x-api-key': 'sk-secret',
      ...(subagent === undefined ? {} : { 'x-claude-code-agent-id': subagent }),
    })
  onTestFinished(() => agent.destroy())
  return {
    send,
    ask,
    /** The text of the first block of the answer. */
    textOf: async (question: Ask = {}): Promise<string> => {
      const { text } = await ask(question)
      const body = JSON.parse(text)
      return body.type === 'error' ? body.error.message : body.content[0].text
    },
    exit: async () => {
      agent.destroy()
      // The server learns of it by the next turn of its event loop or two.
      await new Promise((resolve) => setTimeout(resolve, 20))
    },
  }
}

export type StreamEvent = { readonly type: string; readonly [key: string]: unknown }

/** The events of a stream; each must be named as its data says. */
export const eventsOf = (text: string): readonly StreamEvent[] =>
  [...text.matchAll(/event: (.+)\ndata: (.+)\n\n/g)].map(([, name, data]) => {
    const event = JSON.parse(data ?? '') as StreamEvent
    if (event.type !== name) throw new Error(`event ${name} holds ${event.type}`)
    return event
  })
