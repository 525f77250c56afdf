import { html, raw } from './html.ts'
import { pageOf, pageTitle, reportBody } from './page.ts'
import type { Report } from './report.ts'

/** What is shown of a run that goes on: its report, and what happens at this moment. */
export type Look = { readonly report: Report; readonly now: string }

/** Puts each new report in the place of the one before; what one has opened, scrolled or focused stays so. */
const script = `
const main = document.querySelector('main'), now = document.getElementById('now')
const all = (selector) => [...main.querySelectorAll(selector)]
const source = new EventSource('events')
source.addEventListener('look', ({ data }) => {
  const look = JSON.parse(data)
  now.textContent = look.now
  document.title = look.title
  const opened = all('details').map(({ open }) => open)
  const scrolled = all('.scroll').map(({ scrollLeft }) => scrollLeft)
  const focused = all('summary, .scroll').indexOf(document.activeElement)
  main.innerHTML = look.body
  all('details').forEach((each, index) => { each.open = opened[index] === true })
  all('.scroll').forEach((each, index) => { each.scrollLeft = scrolled[index] ?? 0 })
  if (focused >= 0) all('summary, .scroll')[focused]?.focus({ preventScroll: true })
})
source.addEventListener('error', () => { now.textContent = 'Not connected: what stands below may be old. yoke watch has ended, or the way to it is cut.' })
`

/** The page that follows a run. Only the script with this nonce may run, and it may ask nobody but the page's own server. */
export const livePage = ({ report, now }: Look, nonce: string): string =>
  pageOf(report, {
    head: html`<meta name="referrer" content="no-referrer">`,
    top: html`<p id="now" class="quiet" role="status">${now}</p>`,
    end: html`<script nonce="${nonce}">${raw(script)}</script>`,
  })

/** What the page's script gets, as JSON on one line. */
export const lookMessage = ({ report, now }: Look): string =>
  JSON.stringify({ title: pageTitle(report), now, body: reportBody(report) })
