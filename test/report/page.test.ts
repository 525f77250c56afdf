import { createColors } from 'picocolors'
import { describe, expect, it } from 'vitest'
import { escapeHtml, html } from '../../src/report/html.ts'
import { reportPage } from '../../src/report/page.ts'
import { reportOf } from '../../src/report/report.ts'
import { reportText } from '../../src/report/text.ts'
import { longRun } from './made-run.ts'

const long = longRun(500)
const report = reportOf(long.begin, long.events, false)
const page = reportPage(report)

describe('html', () => {
  it('escapes every text that is put in', () => {
    expect(html`<p title="${'"<'}">${'<b>&'}</p>`.html).toBe('<p title="&quot;&lt;">&lt;b&gt;&amp;</p>')
    expect(escapeHtml("'")).toBe('&#39;')
  })
})

describe('the page', () => {
  it('loads nothing and runs nothing', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe|object)\b|\bsrc=|@import|url\(|\son\w+=/i)
    expect(page).not.toMatch(/https?:\/\/(?!www\.w3\.org)/)
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
  })

  it('shows words of the model and names of files as text', () => {
    expect(page).toContain('src/&lt;script&gt;alert(1)&lt;/script&gt;.ts')
    expect(page).toContain('&lt;i&gt;say&lt;/i&gt;')
    expect(page).not.toContain('<i>say')
  })

  it('holds 500 iterations within 1 MB', () => {
    expect(page.length).toBeLessThan(1_000_000)
    expect(page.match(/<details>/g)).toHaveLength(500)
  })

  it('draws no number that is none', () => {
    for (const { begin, events } of [longRun(1), longRun(2), { begin: long.begin, events: [long.begin] }])
      expect(reportPage(reportOf(begin, events, false))).not.toMatch(/NaN|undefined|Infinity/)
  })
})

describe('the text', () => {
  const text = reportText(report, createColors(false))
  it('has a row for every iteration and every role', () => {
    expect(text.match(/^ *\d+ {2}(continue|check failed|done) /gm)).toHaveLength(500)
    expect(text).toMatch(/^worker +500 /m)
    expect(text).toMatch(/^all /m)
  })
})
