import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportPage } from '../../src/report/page.ts'
import { reportOf } from '../../src/report/report.ts'
import { browserFile } from '../helpers/browser.ts'
import { longRun } from './made-run.ts'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

type Violation = {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string }[]
}

describe.skipIf(browserFile === undefined)('the page in Chromium', () => {
  let folder: string
  let browser: Browser

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'yoke-test-'))
    for (const count of [3, 500]) {
      const { begin, events } = longRun(count)
      await writeFile(join(folder, `${count}.html`), reportPage(reportOf(begin, events, false)))
    }
    browser = await chromium.launch({ executablePath: browserFile ?? '', args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser.close()
    await rm(folder, { recursive: true, force: true })
  })

  const open = async (count: number, options: Parameters<Browser['newPage']>[0] = {}) => {
    // The page's own policy forbids scripts, those of axe too.
    const page = await browser.newPage({ bypassCSP: true, ...options })
    const troubles: string[] = []
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()))
    page.on('pageerror', (error) => troubles.push(String(error)))
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const url = pathToFileURL(join(folder, `${count}.html`)).href
    await page.goto(url)
    return { page, troubles, requests, url }
  }

  const violations = async (page: Page): Promise<readonly string[]> => {
    await page.addScriptTag({ path: axeFile })
    const found = (await page.evaluate(
      'axe.run().then(({ violations }) => violations)',
    )) as readonly Violation[]
    return found.map(({ id, help, nodes }) => `${id}: ${help} ${nodes[0]?.html}`)
  }

  it.each(['light', 'dark'] as const)(
    'has no fault that axe finds, by %s, open and closed',
    async (colorScheme) => {
      const { page, troubles } = await open(3, { colorScheme })
      expect(await violations(page)).toEqual([])
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
      expect(await violations(page)).toEqual([])
      expect(troubles).toEqual([])
      await page.close()
    },
  )

  it('asks for nothing but itself', async () => {
    const { page, requests, url } = await open(3)
    expect(requests).toEqual([url])
    await page.close()
  })

  it('shows 500 iterations soon, and opens what one asks for', async () => {
    const { page, troubles } = await open(500)
    expect(await page.locator('tbody tr').count()).toBeGreaterThanOrEqual(500)
    expect(
      (await page.evaluate(
        "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd",
      )) as number,
    ).toBeLessThan(5000)
    const details = page.locator('details').nth(6)
    await details.locator('summary').click()
    expect(await details.locator('dl').isVisible()).toBe(true)
    expect(troubles).toEqual([])
    await page.close()
  })

  it.each([320, 390, 1100])('is not wider than a window of %d', async (width) => {
    const { page } = await open(3, { viewport: { width, height: 800 } })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await page.close()
  })

  it('prints on white, with what is closed on the screen', async () => {
    const { page } = await open(3, { colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    expect(await page.locator('details dl').first().isVisible()).toBe(true)
    const pdf = await page.pdf({ format: 'A4' })
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    await page.close()
  })
})
