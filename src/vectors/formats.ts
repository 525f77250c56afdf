import { printable } from '../ui/format.ts'
import type { CaseResult, Summary } from './run.ts'
import { summarize } from './run.ts'

export const formats = ['text', 'tap', 'junit', 'json'] as const

export type Format = (typeof formats)[number]

/** The results as a text that ends in a newline. */
export const formatResults = (results: readonly CaseResult[], format: Format): string =>
  writers[format](results)

const text = (results: readonly CaseResult[]): string => {
  const summaries = summarize(results)
  const width = Math.max(0, ...summaries.map(({ area }) => area.length))
  const failures = results
    .filter(({ status }) => status === 'failed')
    .flatMap(({ vector, problem }) => [
      `${vector.id} (${vector.section}) ${vector.comment}`,
      `  ${printable(problem ?? '')}`,
    ])
  const skips = summaries.filter(({ skipped }) => skipped.length > 0)
  return [
    ...failures,
    ...skips.map(
      ({ area, passed, failed, skipped }) =>
        `skipped in ${area}: ${passed + failed === 0 ? 'all' : skipped.join(', ')}`,
    ),
    ...summaries.map((each) => `${each.area.padEnd(width)}  ${counts(each)}`),
    `${'all'.padEnd(width)}  ${counts(total(summaries))}`,
    '',
  ].join('\n')
}

const counts = ({ passed, failed, skipped }: Pick<Summary, 'passed' | 'failed' | 'skipped'>): string =>
  [
    `${passed} passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped`]),
  ].join(', ')

const total = (summaries: readonly Summary[]): Summary => ({
  area: 'all',
  passed: summaries.reduce((sum, { passed }) => sum + passed, 0),
  failed: summaries.reduce((sum, { failed }) => sum + failed, 0),
  skipped: summaries.flatMap(({ skipped }) => skipped),
})

/** Version 14 (testanything.org). */
const tap = (results: readonly CaseResult[]): string =>
  [
    'TAP version 14',
    `1..${results.length}`,
    ...results.flatMap(({ vector, status, problem }, index) => {
      const name = `${vector.id} ${vector.comment}`.replace(/[\\#]/g, '\\$&')
      const line = `${status === 'failed' ? 'not ok' : 'ok'} ${index + 1} - ${name}`
      if (status === 'skipped') return [`${line} # SKIP not implemented`]
      return problem === undefined
        ? [line]
        : [line, '  ---', `  message: ${JSON.stringify(problem)}`, `  section: "${vector.section}"`, '  ...']
    }),
    '',
  ].join('\n')

const junit = (results: readonly CaseResult[]): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    ...summarize(results).flatMap(({ area, failed, skipped }) => {
      const own = results.filter(({ vector }) => vector.area === area)
      return [
        `  <testsuite name="${area}" tests="${own.length}" failures="${failed}" skipped="${skipped.length}" time="${seconds(own)}">`,
        ...own.map(testcase),
        '  </testsuite>',
      ]
    }),
    '</testsuites>',
    '',
  ].join('\n')

const testcase = (result: CaseResult): string => {
  const { vector, status, problem } = result
  const open = `    <testcase classname="${vector.area}" name="${xml(`${vector.id} ${vector.comment}`)}" time="${seconds([result])}"`
  if (status === 'skipped') return `${open}><skipped/></testcase>`
  return problem === undefined ? `${open}/>` : `${open}><failure message="${xml(problem)}"/></testcase>`
}

const seconds = (results: readonly CaseResult[]): string =>
  (results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(3)

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML 1.0 has no way to write most control characters, nor these two. */
const xml = (value: string): string =>
  value
    .replace(/[&<>"]/g, (char) => entities[char] ?? char)
    .replace(/[\u0000-\u001f\u007f\ufffe\uffff]/g, ' ')

const json = (results: readonly CaseResult[]): string =>
  `${JSON.stringify(
    {
      areas: summarize(results),
      cases: results.map(({ vector, status, problem, durationMs }) => ({
        id: vector.id,
        section: vector.section,
        status,
        ...(problem === undefined ? {} : { problem }),
        durationMs,
      })),
    },
    undefined,
    2,
  )}\n`

const writers: Readonly<Record<Format, (results: readonly CaseResult[]) => string>> = {
  text,
  tap,
  junit,
  json,
}
