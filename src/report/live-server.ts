import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exitCode, YokeError } from '../errors.ts'
import { type Look, livePage, lookMessage } from './live-page.ts'

export type LiveServer = {
  /** With the token: who knows it may look. */
  readonly url: string
  readonly close: () => Promise<void>
}

type Options = {
  /** 0: any that is free. */
  readonly port: number
  /** Asked once a second while somebody watches. */
  readonly look: () => Promise<Look>
}

const pollMs = 1000
/** A proxy in between may end what says nothing. */
const heartbeatMs = 15_000
const mostWatchers = 20
const mostWaitingBytes = 16 * 1024 * 1024

/**
 * Serves a run for looking at on 127.0.0.1, and sends each change of it (server-sent events). Throws `E_PORT` for a port that
 * is taken.
 */
export const startLiveServer = async ({ port: wanted, look }: Options): Promise<LiveServer> => {
  const token = randomBytes(24).toString('base64url')
  const watchers = new Set<ServerResponse>()
  let port = wanted
  let newest = ''

  const showPage = async (response: ServerResponse): Promise<void> => {
    const nonce = randomBytes(16).toString('base64')
    const page = livePage(await look(), nonce)
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    })
    response.end(page)
  }

  const watch = async (response: ServerResponse): Promise<void> => {
    if (watchers.size >= mostWatchers) return refuse(response, 503)
    newest = lookMessage(await look())
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(eventOf(newest))
    watchers.add(response)
    response.once('close', () => watchers.delete(response))
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(guards)) response.setHeader(name, value)
    const { route, status } = admit(request, { port, token })
    if (status !== 200) return refuse(response, status)
    if (request.method === 'HEAD') return void response.writeHead(200).end()
    return route === 'page' ? showPage(response) : watch(response)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => (response.headersSent ? response.destroy() : refuse(response, 500)))
  })
  port = await listen(server, wanted)

  const send = (text: string): void => {
    // Who does not read what is sent is let go, and may come back.
    for (const watcher of watchers)
      if (watcher.writableLength > mostWaitingBytes) watcher.destroy()
      else watcher.write(text)
  }
  let isLooking = false
  const poll = setInterval(async () => {
    if (isLooking || watchers.size === 0) return
    isLooking = true
    try {
      const message = lookMessage(await look())
      if (message !== newest) send(eventOf(message))
      newest = message
    } catch {
      // A log that cannot be read at this moment is read the next time.
    } finally {
      isLooking = false
    }
  }, pollMs)
  const heartbeat = setInterval(() => send(':\n\n'), heartbeatMs)

  return {
    url: `http://127.0.0.1:${port}/${token}/`,
    close: async () => {
      clearInterval(poll)
      clearInterval(heartbeat)
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const eventOf = (message: string): string => `event: look\ndata: ${message}\n\n`

/** For every answer: nothing is kept, framed, guessed at or told to others. */
const guards: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

type Door = { readonly port: number; readonly token: string }
type Admission = { readonly status: number; readonly route?: 'page' | 'events' }

/**
 * Who may look: those who know the token, by a name of this machine (another one means that a page of somebody else's has its
 * name point here), from the page itself or from no page. Nobody may change anything.
 */
export const admit = (
  { method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  { port, token }: Door,
): Admission => {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (!names.includes(headers.host ?? '')) return { status: 403 }
  const { origin } = headers
  const site = headers['sec-fetch-site'] ?? 'none'
  if (origin !== undefined && !names.some((name) => origin === `http://${name}`)) return { status: 403 }
  if (site !== 'none' && site !== 'same-origin') return { status: 403 }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405 }
  const [, given = '', rest] = /^\/([^/]*)\/(|events)$/.exec(url) ?? []
  if (rest === undefined || !isSame(given, token)) return { status: 404 }
  return { status: 200, route: rest === 'events' ? 'events' : 'page' }
}

/** In the same time for every text of the same length. */
const isSame = (given: string, token: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const refuse = (response: ServerResponse, status: number): void => {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
  })
  response.end(`${status}\n`)
}

const listen = async (server: ReturnType<typeof createServer>, wanted: number): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(wanted, '127.0.0.1', resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    throw new YokeError(
      'E_PORT',
      `The port ${wanted} cannot be listened on (${error.code ?? error.message}).`,
      'Name another one, or leave `--port` out.',
      exitCode.usage,
    )
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : wanted
}
