import { once } from 'node:events'
import { request } from 'node:http'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { admit, startLiveServer } from '../../src/report/live-server.ts'
import { reportOf } from '../../src/report/report.ts'
import { browserFile } from '../helpers/browser.ts'
import { longRun } from './made-run.ts'

const door = { port: 8123, token: 'the-token' }
const host = '127.0.0.1:8123'

describe('who may look', () => {
  const status = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    admit({ method, url, headers: { host, ...headers } }, door).status

  it.each([
    ['the page', '/the-token/', {}],
    ['its events', '/the-token/events', {}],
    ['by another name of this machine', '/the-token/', { host: 'localhost:8123' }],
    [
      'from the page itself',
      '/the-token/events',
      { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
    ],
    ['from the address bar', '/the-token/', { 'sec-fetch-site': 'none' }],
  ])('those who know the token: %s', (_name, url, headers) => {
    expect(status(url, headers)).toBe(200)
    expect(status(url, headers, 'HEAD')).toBe(200)
  })

  it.each([
    ['without a token', '/', {}, 404],
    ['with a wrong one', '/the-tokem/', {}, 404],
    ['with a longer one', '/the-token1/', {}, 404],
    ['with an empty one', '//', {}, 404],
    ['for another file', '/the-token/../etc/passwd', {}, 404],
    ['with a query', '/the-token/?x', {}, 404],
    ['by a name that somebody pointed here', '/the-token/', { host: 'evil.example:8123' }, 403],
    ['by a name that ends like one', '/the-token/', { host: '127.0.0.1:8123.evil.example' }, 403],
    ['at another port', '/the-token/', { host: '127.0.0.1:80' }, 403],
    ['without a name', '/the-token/', { host: '' }, 403],
    ['from another page', '/the-token/events', { origin: 'http://evil.example' }, 403],
    ['from another port of this machine', '/the-token/events', { origin: 'http://127.0.0.1:9000' }, 403],
    ['from a file', '/the-token/events', { origin: 'null' }, 403],
    ['by another site', '/the-token/', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('nobody %s', (_name, url, headers, expected) => {
    expect(status(url, headers)).toBe(expected)
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', ''])('nobody to change something: %s', (method) => {
    expect(status('/the-token/', {}, method)).toBe(405)
  })
})

const { begin, events } = longRun(6)
/** A run that has come so far. */
const run = (length = 60) => {
  let seen = length
  return {
    go: (to: number) => {
      seen = to
    },
    look: async () => ({
      report: reportOf(begin, events.slice(0, seen), seen < events.length),
      now: seen < events.length ? `event ${seen} of <b>many</b>` : 'over',
    }),
  }
}

const served = async (port = 0) => {
  const it = run(25)
  const server = await startLiveServer({ port, look: it.look })
  onTestFinished(() => server.close())
  return { ...it, ...server }
}

describe('the server', () => {
  it('listens on loopback alone, with another token each time', async () => {
    const [a, b] = [await served(), await served()]
    const [one, two] = [new URL(a.url), new URL(b.url)]
    expect([one.hostname, two.hostname]).toEqual(['127.0.0.1', '127.0.0.1'])
    expect(one.pathname).toMatch(/^\/[\w-]{32}\/$/)
    expect(one.pathname).not.toBe(two.pathname)
    await expect(startLiveServer({ port: Number(one.port), look: a.look })).rejects.toMatchObject({
      code: 'E_PORT',
      exit: 2,
    })
  })

  it('tells browsers to keep, frame, guess and pass on nothing', async () => {
    const { url } = await served()
    const { headers, status } = await fetch(url)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(headers.has('access-control-allow-origin')).toBe(false)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect((await fetch(new URL('/', url))).status).toBe(404)
  })

  it('refuses a name that was pointed at it', async () => {
    const { url } = await served()
    const asked = request(url, { headers: { Host: 'evil.example' } }).end()
    const [response] = await once(asked, 'response')
    expect(response.statusCode).toBe(403)
    response.resume()
  })

  it('ends with those who still watch', async () => {
    const server = await startLiveServer({ port: 0, look: run().look })
    const { body } = await fetch(`${server.url}events`)
    const reader = body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/^event: look\ndata: \{/)
    await server.close()
    await expect(
      (async () => {
        while (!(await reader?.read())?.done);
      })(),
    ).rejects.toThrow()
  })
})

describe.skipIf(browserFile === undefined)('the live page in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserFile ?? '', args: ['--no-sandbox'] })
  })
  afterAll(() => browser.close())

  it('follows the run without a reload, and leaves open what one has opened', async () => {
    const { url, go, close } = await served()
    const page = await browser.newPage()
    const troubles: string[] = []
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()))
    page.on('pageerror', (error) => troubles.push(String(error)))
    const asked: string[] = []
    page.on('request', (each) => asked.push(each.url()))
    await page.goto(url)
    const now = page.locator('#now')
    await now.getByText('event 25 of <b>many</b>').waitFor()
    expect(await page.title()).toContain('running')
    const rows = await page.locator('tbody').count()
    const first = page.locator('main details').first()
    await first.locator('summary').click()
    go(events.length)
    await now.getByText('over').waitFor()
    expect(await page.title()).toContain('done')
    expect(await page.locator('tbody').count()).toBeGreaterThan(rows)
    expect(await page.locator('main details[open]').count()).toBe(1)
    expect(await first.getAttribute('open')).not.toBe(null)
    expect(
      await page.evaluate("document.activeElement === document.querySelector('main details summary')"),
    ).toBe(true)
    expect([...new Set(asked)]).toEqual([url, `${url}events`])
    expect(troubles).toEqual([])
    await close()
    await now.getByText('Not connected').waitFor()
    await page.close()
  })

  it('is not to be seen from a page of somebody else', async () => {
    const { url } = await served()
    const page = await browser.newPage()
    await page.goto('data:text/html,<p>evil')
    const address = JSON.stringify(`${url}events`)
    const seen = await page.evaluate(`Promise.all([
      fetch(${address}).then(() => 'read', () => 'refused'),
      new Promise((resolve) => {
        const source = new EventSource(${address})
        source.onopen = () => resolve('read')
        source.onerror = () => resolve('refused')
      }),
    ])`)
    expect(seen).toEqual(['refused', 'refused'])
    await page.close()
  })
})
