import type { RunEvent } from '../events.ts'

type CycleFinished = RunEvent & { type: 'cycle.finished' }

/** Stands below the heading of an entry of `.loop/saga-log.md`, and names it for good. */
export const cycleMark = ({ run, cycle }: Pick<CycleFinished, 'run' | 'cycle'>): string =>
  `<!-- yoke ${run}/${cycle} -->`

/** One finished cycle, as `.loop/saga-log.md` keeps it: the heading and the list are all that is left of old ones. */
export const cycleEntry = (end: CycleFinished, plan: string): string => {
  const { cycle, title, result, reason, left, iterations, costUsd, commits } = end
  return [
    `## Cycle ${cycle}: ${oneLine(title)}`,
    cycleMark(end),
    '',
    `- result: ${result} (${oneLine(reason)})`,
    `- iterations: ${iterations}`,
    `- cost: $${costUsd.toFixed(2)}`,
    `- commits: ${commitsText(commits)}`,
    '',
    '### Plan',
    '',
    demoted(plan.trim()),
    '',
    '### Left',
    '',
    ...(left.length === 0 ? ['Nothing.'] : left.map((each) => `- ${oneLine(each)}`)),
    '',
  ].join('\n')
}

const commitsText = (commits: CycleFinished['commits']): string => {
  if (commits === null) return 'none, there is no git'
  return commits.from === commits.to ? 'none' : `${commits.from.slice(0, 10)}..${commits.to.slice(0, 10)}`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Headings of a plan go below those of the entry, and a mark in it is none. */
const demoted = (plan: string): string =>
  plan.replace(/^(#{1,3})(?=\s)/gm, '###$1').replaceAll('<!-- yoke', '<!-- "yoke"')

/** What is shown of a log: characters for whole entries, and lines for older ones. */
const wholeCharacters = 20_000
const oldEntries = 200

/**
 * The log as the scoper gets it: the newest entries whole, of older ones a line each, so that it does not grow with every cycle.
 * What a person wrote before the first entry stays; what they wrote behind one belongs to it.
 */
export const condensedLog = (log: string): string => {
  // A text is not split at its very beginning.
  const [before = '', ...entries] = `\n${log}`.split(/^(?=## [^\n]*\n<!-- yoke \S+\/\d+ -->)/m)
  let room = wholeCharacters
  const firstWhole = entries.findLastIndex((entry, index) => {
    room -= entry.length
    return room < 0 && index < entries.length - 1
  })
  const old = entries.slice(0, firstWhole + 1)
  const whole = entries.slice(firstWhole + 1)
  const left = old.length - oldEntries
  return [
    before.trim().slice(0, wholeCharacters),
    [...(left > 0 ? [`- (${left} older cycles)`] : []), ...old.slice(-oldEntries).map(lineOf)].join('\n'),
    ...whole.map((entry) => cut(entry.trim())),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const lineOf = (entry: string): string => {
  const heading = /^## (.*)$/m.exec(entry)?.[1] ?? ''
  const result = /^- result: (.*)$/m.exec(entry)?.[1] ?? ''
  const commits = /^- commits: (\w+\.\.\w+)$/m.exec(entry)?.[1]
  return `- ${heading}: ${result}${commits === undefined ? '' : `, ${commits}`}`.slice(0, 300)
}

/** A single entry beyond all measure keeps its beginning, with the result, and its end, with what is left. */
const cut = (entry: string): string =>
  entry.length <= wholeCharacters
    ? entry
    : `${entry.slice(0, wholeCharacters / 2)}\n[...]\n${entry.slice(-wholeCharacters / 2)}`
