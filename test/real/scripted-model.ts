import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Reply } from '../../src/probe/scenario.ts'

/**
 * A model on loopback that answers with these replies in turn, the last one for ever. A request without tools is not part of the
 * conversation: it asks for a title or, in old releases, about a shell command.
 */
export const scriptedModel = async (
  replies: readonly Reply[],
): Promise<{ url: string; requests: readonly string[] }> => {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const send = (status: number, type: string, text: string) =>
      response.writeHead(status, { 'content-type': type }).end(text)
    if (request.method !== 'POST' || !/^\/v1\/messages(\?|$)/.test(request.url ?? ''))
      return send(404, 'application/json', JSON.stringify(failure('not_found_error', 'unknown path')))
    if (!/"tools":\[\{/.test(body))
      return send(200, 'text/event-stream', stream({ blocks: [{ text: 'none' }] }, 0))
    const reply = replies[Math.min(requests.length, replies.length - 1)] ?? { blocks: [{ text: 'ok' }] }
    requests.push(body)
    if (reply.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.delayMs))
    if ('error' in reply)
      return send(
        reply.error.status,
        'application/json',
        JSON.stringify(failure(reply.error.type, reply.error.message)),
      )
    send(200, 'text/event-stream', stream(reply, requests.length))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

const failure = (type: string, message: string) => ({ type: 'error', error: { type, message } })

const stream = (reply: Extract<Reply, { blocks: unknown }>, turn: number): string => {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  }
  const usesTool = reply.blocks.some((block) => 'tool' in block || 'answer' in block)
  const events = [
    {
      type: 'message_start',
      message: { id: `msg_${turn}`, type: 'message', role: 'assistant', model: 'm', content: [], usage },
    },
    ...reply.blocks.flatMap((block, index) => blockEvents(block, index, `toolu_${turn}_${index}`)),
    {
      type: 'message_delta',
      delta: { stop_reason: usesTool ? 'tool_use' : 'end_turn' },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

const blockEvents = (
  block: Extract<Reply, { blocks: unknown }>['blocks'][number],
  index: number,
  id: string,
) => {
  const [content_block, delta] =
    'text' in block
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : 'thinking' in block
        ? [
            { type: 'thinking', thinking: '' },
            { type: 'thinking_delta', thinking: block.thinking },
          ]
        : [
            { type: 'tool_use', id, name: 'tool' in block ? block.tool : 'StructuredOutput', input: {} },
            {
              type: 'input_json_delta',
              partial_json: JSON.stringify('tool' in block ? block.input : block.answer),
            },
          ]
  return [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ]
}
