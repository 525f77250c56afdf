import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiError, errorBody, refusal } from './api-error.ts'
import { overloaded, replyEvents, type StreamEvent } from './reply-events.ts'
import type { ReplyMessage } from './reply-message.ts'
import type { ErrorReply, MessageReply } from './scenario.ts'

/** Where a reply goes; `signal` fires when the client has gone or the server closes. */
export type Exchange = {
  readonly response: ServerResponse
  readonly requestId: string
  readonly signal: AbortSignal
}

export const sendJson = (
  { response, requestId }: Exchange,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'request-id': requestId,
    ...headers,
  })
  response.end(text)
}

export const sendError = (
  exchange: Exchange,
  error: ApiError,
  headers?: Readonly<Record<string, string>>,
): void => sendJson(exchange, error.status, errorBody(error, exchange.requestId), headers)

export const sendErrorReply = async (exchange: Exchange, { error, delayMs }: ErrorReply): Promise<void> => {
  await pause(delayMs, exchange.signal)
  const { retryAfter, headers } = error
  sendError(exchange, error, {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...headers,
  })
}

/** In one piece. */
export const sendMessage = async (
  exchange: Exchange,
  message: ReplyMessage,
  reply: MessageReply,
): Promise<void> => {
  await pause(reply.delayMs, exchange.signal)
  if (reply.overloadedMidStream) return sendError(exchange, refusal(529, 'Overloaded'))
  if (reply.cutAfter === undefined) return sendJson(exchange, 200, message)
  const text = JSON.stringify(message)
  const { response, requestId } = exchange
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'request-id': requestId,
  })
  await written(response, text.slice(0, text.length / 2))
  response.destroy()
}

/** As a stream of server-sent events. */
export const streamMessage = async (
  { response, requestId, signal }: Exchange,
  message: ReplyMessage,
  { delayMs, chunkDelayMs, cutAfter, overloadedMidStream }: MessageReply,
): Promise<void> => {
  await pause(delayMs, signal)
  const events = replyEvents(message)
  const sent = overloadedMidStream
    ? [...events.slice(0, events.length / 2), overloaded]
    : events.slice(0, cutAfter)
  if (sent.length === 0) return void response.destroy()
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': requestId,
  })
  for (const event of sent) {
    if (event.type === 'content_block_delta') await pause(chunkDelayMs, signal)
    await written(response, `event: ${event.type}\ndata: ${JSON.stringify(event satisfies StreamEvent)}\n\n`)
  }
  if (cutAfter === undefined || overloadedMidStream) response.end()
  else response.destroy()
}

const pause = async (ms: number | undefined, signal: AbortSignal): Promise<void> => {
  if (ms) await sleep(ms, undefined, { signal })
}

/** Waits until the bytes have left, so that a cut comes after what was sent before it. */
const written = (response: ServerResponse, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    response.write(text, (error) => (error ? reject(error) : resolve()))
  })
