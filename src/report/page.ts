import { tokensIn } from '../loop/tokens.ts'
import { diffText, formatClock, formatCount, formatMoney, printable } from '../ui/format.ts'
import type { Column } from '../ui/table.ts'
import { version } from '../version.ts'
import {
  cacheChart,
  contextChart,
  costChart,
  legendItem,
  lineItem,
  roleClass,
  timelineChart,
} from './charts.ts'
import { type Html, html, nothing, raw } from './html.ts'
import { cacheShare, type IterationRow, type Report } from './report.ts'
import { style } from './style.ts'
import { iterationColumns, legend, percent, roleColumns, trimmedTokens } from './text.ts'

/** Stands in every page, so that a later report may take its place. */
export const generator = '<meta name="generator" content="yoke'

/**
 * One page without scripts that loads nothing: its policy forbids both, so that words of a model that stand in it can do nothing either.
 */
export const reportPage = (report: Report): string =>
  pageOf(report, {
    head: raw(
      `${generator} ${version}">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    ),
    top: nothing,
    end: nothing,
  })

/** What a page has around the report: in its head, above the report and at the end of the body. */
export type Around = { readonly head: Html; readonly top: Html; readonly end: Html }

/** A page that shows a report. */
export const pageOf = (report: Report, { head, top, end }: Around): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head.html}
<meta name="viewport" content="width=device-width, initial-scale=1">
${html`<title>${pageTitle(report)}</title>`.html}
<style>${style}</style>
</head>
<body>${top.html}
<main>
${reportBody(report)}
</main>
<footer class="quiet">${html`${legend.map((line) => html`<p>${line}</p>`)}<p>Written by yoke ${version}.</p>`.html}</footer>
${end.html}</body>
</html>
`

export const pageTitle = (report: Report): string => `${taskName(report)}: ${report.result} · yoke`

/** The report itself, as HTML. */
export const reportBody = (report: Report): string =>
  [heading(report), facts(report), charts(report), roleTable(report), iterationTable(report)]
    .map((part) => part.html)
    .join('\n')

const taskName = ({ task }: Report): string => printable(task.split(/[\\/]/).at(-1) ?? task)

const tone = (result: string): string =>
  result === 'done'
    ? 'good'
    : ['failed', 'agent-failing', 'check failed', 'crash', 'killed', 'timeout', 'blocked'].includes(result)
      ? 'bad'
      : 'poor'

const heading = (report: Report): Html =>
  html`<header><h1>${taskName(report)} <span class="result ${tone(report.result)}">${report.result}</span></h1>
${report.reason === '' ? nothing : html`<p>${printable(report.reason)}</p>`}${report.fix === '' ? nothing : html`<p>${printable(report.fix)}</p>`}
<p class="quiet">run ${report.run} · ${report.agent} · ${printable(report.task)} · begun <time datetime="${report.startedAt}">${report.startedAt.replace('T', ' ').slice(0, 16)} UTC</time></p></header>`

const facts = (report: Report): Html => {
  const { tokens, iterations, costUsd, startedAt, endedAt } = report
  const trimmed = trimmedTokens(report)
  const saved = trimmed.before - trimmed.after
  const rows: readonly (readonly [string, string])[] = [
    ['Iterations', String(iterations.length)],
    ['Time', formatClock(Date.parse(endedAt) - Date.parse(startedAt))],
    ['Tokens in', formatCount(tokensIn(tokens))],
    ['From cache', percent(cacheShare(tokens)) || 'none'],
    ['Tokens out', formatCount(tokens.output)],
    ['Cost', formatMoney(costUsd)],
    ['Tokens trimmed', formatCount(saved)],
  ]
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

const charts = (report: Report): Html => {
  if (report.iterations.length === 0) return html`<p>No iteration has begun.</p>`
  const paid = report.roles.map(({ role, costUsd }) =>
    legendItem(roleClass(role), `${role} ${formatMoney(costUsd)}`),
  )
  return html`<section aria-label="Charts">
<h2>Context</h2>
<figure>${contextChart(report)}<figcaption><ul>${lineItem('c1', 'largest request of the worker, tokens')}${lineItem('c2 dashed', 'its first request: what a trim took away is missing here')}${report.iterations.some(({ fork }) => fork !== null) ? lineItem('c4 dashed', 'fresh session') : nothing}</ul></figcaption></figure>
<h2>Cache</h2>
<figure>${cacheChart(report)}<figcaption><ul>${lineItem('c3', "share of the worker's input that came from the provider's cache")}</ul></figcaption></figure>
<h2>Cost</h2>
<figure>${costChart(report)}<figcaption><ul>${paid}</ul></figcaption></figure>
<h2>Timeline</h2>
<figure>${timelineChart(report)}<figcaption>Time from the beginning of the run; point at a bar to see what it was.</figcaption></figure>
</section>`
}

const cells = <Row>(row: Row, columns: readonly Column<Row>[]): readonly Html[] =>
  columns.map(({ cell, right }) => html`<td class="${right ? 'number' : 'text'}">${cell(row)}</td>`)

const titles = <Row>(columns: readonly Column<Row>[]): readonly Html[] =>
  columns.map(({ title, right }) => html`<th scope="col" class="${right ? 'number' : 'text'}">${title}</th>`)

const roleTable = ({ roles }: Report): Html =>
  roles.length === 0
    ? nothing
    : html`<section><h2 id="roles">Totals by role</h2>
<div class="scroll" role="region" aria-labelledby="roles" tabindex="0"><table><thead><tr>${titles(roleColumns)}</tr></thead>
<tbody>${roles.map((row) => html`<tr>${cells(row, roleColumns)}</tr>`)}</tbody></table></div></section>`

const iterationTable = ({ iterations }: Report): Html => {
  if (iterations.length === 0) return nothing
  const columns = iterationColumns.filter(
    ({ title, cell }) =>
      !['cycle', 'commit', 'diff'].includes(title) || iterations.some((row) => cell(row) !== ''),
  )
  return html`<section><h2 id="iterations">Iterations</h2>
<div class="scroll" role="region" aria-labelledby="iterations" tabindex="0"><table><thead><tr>${titles(columns)}</tr></thead>
${iterations.map(
  (row) =>
    html`<tbody><tr>${columns.map(({ title, cell, right }) =>
      title === 'result'
        ? html`<td class="${tone(row.result)}">${cell(row)}</td>`
        : html`<td class="${right ? 'number' : 'text'}">${cell(row)}</td>`,
    )}</tr><tr><td></td><td class="details" colspan="${columns.length - 1}">${details(row)}</td></tr></tbody>\n`,
)}</table></div></section>`
}

/** The verdict, the failed checks, and what the trim did with each file; closed until one asks for it. */
const details = (row: IterationRow): Html => {
  const parts = [
    ...verdictPart(row),
    ...checkParts(row),
    ...trimParts(row),
    ...commitParts(row),
    ...(row.fork === null ? [] : [part('fresh session', [row.fork])]),
    ...(row.steering.length === 0 ? [] : [part('from outside', row.steering.map(printable))]),
    ...(row.warnings.length === 0 ? [] : [part('warnings', row.warnings)]),
  ]
  return parts.length === 0
    ? nothing
    : html`<details><summary>${summaryOf(row)}</summary><dl>${parts}</dl></details>`
}

const summaryOf = ({ iteration, verdict, checks, trim }: IterationRow): string => {
  const failed = checks.find(({ passed }) => !passed)
  const [reason] = verdict?.reasons ?? []
  const words =
    failed !== undefined
      ? `${failed.command} failed`
      : reason !== undefined
        ? reason
        : trim?.status === 'applied'
          ? 'trim'
          : 'more'
  // A link needs a name of its own for those who hear the page.
  return printable(`${iteration}: ${words.length <= 120 ? words : `${words.slice(0, 119)}…`}`)
}

const part = (name: string, texts: readonly string[]): Html =>
  html`<dt>${name}</dt>${texts.map((text) => html`<dd>${printable(text)}</dd>`)}`

const verdictPart = ({ verdict }: IterationRow): readonly Html[] =>
  verdict === null
    ? []
    : [
        part(`judge: ${verdict.verdict}`, verdict.reasons.length === 0 ? ['no reasons'] : verdict.reasons),
        ...(verdict.next === '' ? [] : [part('next', [verdict.next])]),
      ]

const checkParts = ({ checks }: IterationRow): readonly Html[] =>
  checks.map(({ command, passed, output }) =>
    passed
      ? part('check passed', [command])
      : html`<dt>check failed</dt><dd>${printable(command)}${output.trim() === '' ? nothing : html`<pre>${printable(output.trim().slice(-2000))}</pre>`}</dd>`,
  )

const commitParts = ({ commit, rollback }: IterationRow): readonly Html[] => [
  ...(commit === null ? [] : [part('commit', [`${commit.commit} ${commit.subject}`, diffText(commit)])]),
  ...(rollback === null
    ? []
    : [part('taken back', [diffText(rollback), `git cherry-pick ${rollback.ref} brings it back`])]),
]

const trimParts = ({ trim }: IterationRow): readonly Html[] => {
  if (trim === null) return []
  if (trim.status !== 'applied') return [part(`trim ${trim.status}`, [trim.reason])]
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['kept', trim.kept],
    ['brought up to date', trim.refreshed],
    ['dropped', trim.dropped.map(({ path, reason }) => `${path}: ${reason}`)],
    ['named, but nothing that was read fits', trim.unmatched],
  ]
  return [
    part('trim', [`${formatCount(trim.before)} → ${formatCount(trim.after)} tokens`]),
    ...lists.filter(([, all]) => all.length > 0).map(([name, all]) => part(name, all)),
  ]
}
