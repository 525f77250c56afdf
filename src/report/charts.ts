import { scaleLinear } from 'd3-scale'
import { line, stack } from 'd3-shape'
import { formatClock, formatCount, formatMoney } from '../ui/format.ts'
import { type Html, html, nothing, raw } from './html.ts'
import type { IterationRow, Report, Span } from './report.ts'
import { percent } from './text.ts'

const width = 960
const height = 260
const margin = { top: 12, right: 16, bottom: 40, left: 64 }
const inner = {
  left: margin.left,
  right: width - margin.right,
  top: margin.top,
  bottom: height - margin.bottom,
}

/** Beyond so many iterations a point would cover its neighbours. */
const mostPoints = 120

const svg = (label: string, tall: number, content: Html): Html =>
  html`<div class="scroll" role="group" aria-label="chart" tabindex="0"><svg viewBox="0 0 ${width} ${tall}" role="img" aria-label="${label}">${content}</svg></div>`

const xScale = (rows: readonly IterationRow[]) => {
  const first = rows[0]?.iteration ?? 1
  const last = rows.at(-1)?.iteration ?? 1
  return scaleLinear([first - 0.5, last + 0.5], [inner.left, inner.right])
}

type Scale = ReturnType<typeof scaleLinear<number, number>>

const axes = (x: Scale, y: Scale, format: (value: number) => string): Html => {
  const wholes = x.ticks(12).filter(Number.isInteger)
  return html`<g class="grid">${y
    .ticks(5)
    .map(
      (tick) =>
        html`<line x1="${inner.left}" x2="${inner.right}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${inner.left - 8}" y="${y(tick) + 4}" text-anchor="end">${format(tick)}</text>`,
    )}${wholes.map((tick) => html`<text x="${x(tick)}" y="${inner.bottom + 18}" text-anchor="middle">${tick}</text>`)}<text x="${(inner.left + inner.right) / 2}" y="${height - 4}" text-anchor="middle">iteration</text></g>`
}

type Series = {
  readonly className: string
  readonly value: (row: IterationRow) => number | null
  readonly says: (row: IterationRow, value: number) => string
}

const seriesPath = (
  rows: readonly IterationRow[],
  x: Scale,
  y: Scale,
  { className, value, says }: Series,
): Html => {
  const path = line<IterationRow>()
    .defined((row) => value(row) !== null)
    .x((row) => x(row.iteration))
    .y((row) => y(value(row) ?? 0))(rows as IterationRow[])
  const points =
    rows.length > mostPoints
      ? []
      : rows.flatMap((row) => {
          const at = value(row)
          return at === null
            ? []
            : [
                html`<circle class="${className}" cx="${x(row.iteration)}" cy="${y(at)}" r="3.5"><title>${says(row, at)}</title></circle>`,
              ]
        })
  return html`<path class="line ${className}" d="${path ?? ''}"/>${points}`
}

/** Ticks are round numbers: `20k`, not `20.0k`. */
const axisCount = (count: number): string => formatCount(count).replace('.0', '')

/** The worker's first and largest request of each iteration: what a trim took away shows in the next first one. */
export const contextChart = ({ iterations }: Report): Html => {
  const x = xScale(iterations)
  const most = Math.max(1, ...iterations.map(({ context }) => context?.peak ?? 0))
  const y = scaleLinear([0, most], [inner.bottom, inner.top]).nice(5)
  const forks = iterations.filter(({ fork }) => fork !== null)
  return svg(
    `Context of the worker by iteration. The largest request had ${formatCount(most)} tokens; there were ${forks.length} fresh sessions after the first.`,
    height,
    html`${axes(x, y, axisCount)}${forks.map(
      (row) =>
        html`<line class="fork" x1="${x(row.iteration - 0.5)}" x2="${x(row.iteration - 0.5)}" y1="${inner.top}" y2="${inner.bottom}"><title>fresh session: ${row.fork ?? ''}</title></line>`,
    )}${seriesPath(iterations, x, y, {
      className: 'c1',
      value: ({ context }) => context?.peak ?? null,
      says: ({ iteration }, value) => `iteration ${iteration}: largest request ${formatCount(value)} tokens`,
    })}${seriesPath(iterations, x, y, {
      className: 'c2 dashed',
      value: ({ context }) => context?.first ?? null,
      says: ({ iteration }, value) => `iteration ${iteration}: first request ${formatCount(value)} tokens`,
    })}`,
  )
}

/** What share of the worker's input came from the provider's cache. */
export const cacheChart = ({ iterations }: Report): Html => {
  const x = xScale(iterations)
  const y = scaleLinear([0, 1], [inner.bottom, inner.top])
  const shares = iterations.flatMap(({ cacheShare }) => (cacheShare === null ? [] : [cacheShare]))
  const mean = shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length
  return svg(
    `Share of the worker's input that came from the cache, by iteration; ${percent(mean) || 'unknown'} in the mean.`,
    height,
    html`${axes(x, y, percent)}${seriesPath(iterations, x, y, {
      className: 'c3',
      value: ({ cacheShare }) => cacheShare,
      says: ({ iteration }, value) => `iteration ${iteration}: ${percent(value)} from the cache`,
    })}`,
  )
}

/** The colour of a role, the same in every chart. */
export const roleClass = (role: string): string =>
  role === 'worker'
    ? 'c1'
    : role === 'judge'
      ? 'c2'
      : role === 'scoper'
        ? 'c4'
        : role === 'check'
          ? 'c3'
          : role === 'wait'
            ? 'c6'
            : 'c5'

/** What each iteration cost, by role. The scoper's part belongs to a cycle and stands in the totals. */
export const costChart = ({ iterations }: Report): Html => {
  const roles = [...new Set(iterations.flatMap(({ costByRole }) => Object.keys(costByRole)))]
  const x = xScale(iterations)
  const most = Math.max(0.0001, ...iterations.map(({ costUsd }) => costUsd))
  const y = scaleLinear([0, most], [inner.bottom, inner.top]).nice(5)
  const room = x(1) - x(0)
  // Gaps between many thin bars would only blur them.
  const bar = room < 5 ? room : Math.min(48, room * 0.8)
  const layers = stack<IterationRow, string>()
    .keys(roles)
    .value((row, role) => row.costByRole[role] ?? 0)(iterations as IterationRow[])
  return svg(
    `Cost by iteration and role; the dearest iteration cost ${formatMoney(most)}.`,
    height,
    html`${axes(x, y, formatMoney)}${layers.map(
      (layer) =>
        html`<g class="bar ${roleClass(layer.key)}">${layer.map((point) => {
          const [from, to] = point
          return to <= from
            ? nothing
            : html`<rect x="${round(x(point.data.iteration) - bar / 2)}" y="${round(y(to))}" width="${round(bar)}" height="${round(Math.max(0.5, y(from) - y(to)))}"><title>iteration ${point.data.iteration}: ${layer.key} ${formatMoney(to - from)}</title></rect>`
        })}</g>`,
    )}`,
  )
}

const round = (value: number): number => Math.round(value * 100) / 100

const laneHeight = 30

/** Who worked when: a lane for each role, for the checks and for waits. */
export const timelineChart = ({ timeline, startedAt, endedAt }: Report): Html => {
  const start = Math.min(Date.parse(startedAt), ...timeline.map(({ from }) => from))
  const end = Math.max(Date.parse(endedAt), start + 1000)
  const lanes = [...new Set(timeline.map(({ lane }) => lane))]
  const tall = margin.top + lanes.length * laneHeight + margin.bottom
  const left = 120
  const x = scaleLinear([0, end - start], [left, inner.right])
  const bottom = tall - margin.bottom
  const top = (lane: string) => margin.top + lanes.indexOf(lane) * laneHeight
  return svg(
    `Timeline of the run over ${formatClock(end - start)}, with a lane each for ${lanes.join(', ') || 'nothing yet'}.`,
    tall,
    html`<g class="grid">${ticksOf(end - start).map(
      (tick) =>
        html`<line x1="${round(x(tick))}" x2="${round(x(tick))}" y1="${margin.top}" y2="${bottom}"/><text x="${round(x(tick))}" y="${bottom + 18}" text-anchor="middle">${formatClock(tick)}</text>`,
    )}${lanes.map((lane) => html`<text x="${left - 8}" y="${top(lane) + laneHeight / 2 + 4}" text-anchor="end">${shortLane(lane)}</text>`)}</g>${lanes.map(
      (lane) =>
        html`<g class="bar ${roleClass(lane)}">${timeline
          .filter((span) => span.lane === lane)
          .map((span) => spanBar(span, x, start, top(lane)))}</g>`,
    )}`,
  )
}

const shortLane = (lane: string): string => {
  const name = lane.replace('periodic:', '')
  return name.length <= 12 ? name : `${name.slice(0, 11)}…`
}

const spanBar = ({ from, to, label }: Span, x: Scale, start: number, top: number): Html => {
  const at = x(from - start)
  return html`<rect x="${round(at)}" y="${top + 4}" width="${round(Math.max(1, x(to - start) - at))}" height="${laneHeight - 8}"><title>${label} (${formatClock(to - from)})</title></rect>`
}

const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400].map(
  (s) => s * 1000,
)

/** Ticks at whole times, eight at most; beyond that in whole days. */
const ticksOf = (span: number): readonly number[] => {
  const step = steps.find((each) => span / each <= 8) ?? Math.ceil(span / 8 / 86_400_000) * 86_400_000
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step)
}

export const legendItem = (className: string, text: string): Html =>
  html`<li><svg class="key" viewBox="0 0 14 14" aria-hidden="true"><rect class="${className} fill" width="14" height="14" rx="2"/></svg> ${text}</li>`

export const lineItem = (className: string, text: string): Html =>
  html`<li><svg class="key" viewBox="0 0 24 14" aria-hidden="true">${raw(`<path class="line ${className}" d="M0 7H24"/>`)}</svg> ${text}</li>`
