import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import * as v from 'valibot'
import { type RefusalStatus, refusal } from './api-error.ts'
import { createConnections } from './connections.ts'
import { type MessagesRequest, MessagesRequestSchema } from './messages-request.ts'
import type { Turn } from './play.ts'
import { inputTokens } from './prompt-cache.ts'
import { readBody } from './read-body.ts'
import { createRecorder, type RecordedRequest, withoutCredentials } from './recorder.ts'
import type { Scenario } from './scenario.ts'
import { createScriptedModel } from './scripted-model.ts'
import { type Exchange, sendError, sendErrorReply, sendJson, sendMessage, streamMessage } from './send.ts'
import { requireKnown, substitute, type Variables } from './variables.ts'

export type { RecordedRequest } from './recorder.ts'

export type ModelServer = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly port: number
  /** In the order of their arrival. */
  readonly requests: readonly RecordedRequest[]
  readonly close: () => Promise<void>
}

export type ModelServerOptions = {
  readonly scenario: Scenario
  /** For `{{name}}` in the strings of the scenario; `turn` is set by the server: the number of the turn, from 1. */
  readonly variables?: Variables
  /** JSONL file that the recorded requests are appended to as they come. */
  readonly log?: string
  /** Off: `requests` stay without bodies, which are then only in the log. For long runs. */
  readonly keepBodies?: boolean
  /** 0, the default, takes a free one. */
  readonly port?: number
  /** Milliseconds since the epoch, for the books of the prompt cache. */
  readonly now?: () => number
}

/**
 * Starts a server on 127.0.0.1 that speaks the Messages API and plays the scenario. Throws `E_SCENARIO` when the scenario uses
 * an unknown variable.
 */
export const startModelServer = async (options: ModelServerOptions): Promise<ModelServer> => {
  const { variables = {}, log, keepBodies = true, port: wantedPort = 0, now = Date.now } = options
  requireKnown(options.scenario, [...Object.keys(variables), 'turn'])
  const scenario = substitute(options.scenario, variables)
  const recorder = createRecorder(log, keepBodies)
  const connections = createConnections()
  const model = createScriptedModel({
    scenario,
    now,
    isConnected: (turn) => connections.anyOpen(turnKey(turn)),
  })
  const closing = new AbortController()

  const refuse = (exchange: Exchange, seen: Seen, status: RefusalStatus, message: string): void => {
    recorder.add({ ...seen, status })
    sendError(exchange, refusal(status, message))
  }

  const answerMessages = async (exchange: Exchange, socket: Socket, seen: Seen): Promise<void> => {
    const request = parseMessages(seen.body)
    if (typeof request === 'string') return refuse(exchange, seen, 400, request)
    const answer = model(request, seen.headers)
    if (answer.turn !== undefined) connections.carried(turnKey(answer.turn), socket)
    const placed = { ...seen, ...answer.place }
    if (answer.kind === 'missing') return refuse(exchange, placed, 400, answer.what)
    if (answer.kind === 'error') {
      recorder.add({ ...placed, status: answer.reply.error.status })
      return sendErrorReply(exchange, answer.reply)
    }
    recorder.add({ ...placed, status: 200, usage: answer.message.usage })
    const send = request.stream ? streamMessage : sendMessage
    return send(exchange, answer.message, answer.reply)
  }

  const answer = async (exchange: Exchange, incoming: IncomingMessage): Promise<void> => {
    const text = await readBody(incoming)
    const seen = see(incoming, text, new Date(now()).toISOString())
    const route = `${incoming.method} ${seen.path.split('?', 1)[0]}`
    if (text === undefined) return refuse(exchange, seen, 413, 'Request exceeds the maximum size')
    if (route === 'POST /v1/messages') return answerMessages(exchange, incoming.socket, seen)
    if (route === 'POST /v1/messages/count_tokens') {
      const request = parseMessages(seen.body)
      if (typeof request === 'string') return refuse(exchange, seen, 400, request)
      recorder.add({ ...seen, status: 200 })
      return sendJson(exchange, 200, { input_tokens: inputTokens(request) })
    }
    if (route === 'HEAD /' || route === 'GET /') {
      recorder.add({ ...seen, status: 200 })
      return sendJson(exchange, 200, { scenario: scenario.name })
    }
    return refuse(exchange, seen, 404, `Not found: ${route}`)
  }

  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const signal = AbortSignal.any([gone.signal, closing.signal])
    const exchange = { response, requestId: requestId(), signal }
    answer(exchange, incoming).catch((error: unknown) => {
      if (signal.aborted || response.headersSent) return response.destroy()
      return sendError(exchange, refusal(500, `The model server failed: ${String(error)}`))
    })
  }

  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, serve)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(wantedPort, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : wantedPort
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: recorder.requests,
    close: () =>
      new Promise((resolve, reject) => {
        closing.abort()
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}

type Seen = Pick<RecordedRequest, 'at' | 'method' | 'path' | 'body'> & {
  readonly headers: Readonly<Record<string, string>>
}

const see = (incoming: IncomingMessage, text: string | undefined, at: string): Seen => ({
  at,
  method: incoming.method ?? '',
  path: incoming.url ?? '',
  headers: withoutCredentials(
    Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
  ),
  ...(text ? { body: parsed(text) } : {}),
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The request, or what is wrong with it. */
const parseMessages = (body: unknown): MessagesRequest | string => {
  const result = v.safeParse(MessagesRequestSchema, body)
  if (result.success) return result.output
  const [issue] = result.issues
  return `${v.getDotPath(issue) ?? 'body'}: ${issue.message}`
}

const turnKey = ({ role, index }: Turn): string => `${role}/${index}`

const requestId = (): string => `req_01${randomUUID().replaceAll('-', '').slice(0, 22)}`
