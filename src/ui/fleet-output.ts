import picocolors from 'picocolors'
import type { YokeError } from '../errors.ts'
import type { Activity, RunEvent, RunResult } from '../events.ts'
import { formatMoney, oneLine, printable, printableJson } from './format.ts'
import { lineOf } from './lines.ts'
import { startFleetLive } from './live.ts'
import { notification } from './notify.ts'
import { canMoveCursor, type OutputOptions, type Stream, wantsColor } from './output.ts'
import { paintOf } from './summary.ts'
import { type Column, table } from './table.ts'

/** Shows the runs of several tasks: every line names its task, a live block has a line for each, a table says how they ended. */
export const createFleetOutput = (
  options: Pick<OutputOptions, 'json' | 'quiet' | 'plain' | 'notify'>,
  stream: Stream,
  env: NodeJS.ProcessEnv,
) => {
  const colors = picocolors.createColors(!options.plain && wantsColor(stream, env))
  const isLive = !options.json && !options.quiet && !options.plain && canMoveCursor(stream, env)
  const live = isLive ? startFleetLive(stream, colors, Date.now) : undefined
  const events = new Map<string, RunEvent[]>()
  const refusals = new Map<string, YokeError>()
  const print = (name: string, text: string | undefined) => {
    if (text === undefined || options.quiet) return
    const mark = colors.dim(`[${name}]`)
    const lines = text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => `${mark} ${line}`)
      .join('\n')
    if (live === undefined) stream.write(`${lines}\n`)
    else live.print(lines)
  }
  const json = (value: object) => stream.write(`${printableJson(value)}\n`)
  return {
    onEvent: (name: string, event: RunEvent): void => {
      events.set(name, [...(events.get(name) ?? []), event])
      live?.see(name, event)
      if (options.json) json(event)
      else print(name, lineOf(event, colors))
    },
    onActivity: (name: string, activity: Activity): void => {
      live?.see(name, activity)
      if (options.json) json(activity)
      else if (live === undefined || activity.type !== 'wait.left') print(name, lineOf(activity, colors))
    },
    onNote: (name: string, text: string): void => {
      if (!options.json) print(name, colors.dim(printable(text)))
    },
    onRefusal: (name: string, error: YokeError): void => {
      refusals.set(name, error)
      if (options.json) process.stderr.write(printable(`yoke: ${name}: ${error.message} [${error.code}]\n`))
      else print(name, colors.red(`${printable(error.message)} ${printable(error.fix)} [${error.code}]`))
    },
    /** Says how all ended, and where the work is. */
    close: (names: readonly string[]): void => {
      live?.close()
      if (options.json) return
      const rows = names.map((name) => rowOf(name, events.get(name) ?? [], refusals.get(name)))
      const merge = rows.filter(({ commits }) => commits > 0).map(({ branch }) => branch)
      stream.write(`\n${table(rows, columns(colors), colors)}\n`)
      if (merge.length > 0)
        stream.write(
          `\nNothing is merged. Look at a branch with \`git log -p HEAD..${merge[0]}\`, take it over with \`git merge ${merge[0]}\`.\n`,
        )
      if (options.notify !== undefined && stream.isTTY === true)
        stream.write(
          notification(rows.map(({ name, result }) => `${name}: ${result}`).join(', '), options.notify, env),
        )
    },
  }
}

type Row = {
  readonly name: string
  readonly result: RunResult | 'not begun'
  readonly iterations: number
  readonly costUsd: number
  readonly branch: string
  readonly commits: number
  readonly diff: string
  readonly reason: string
}

const rowOf = (name: string, events: readonly RunEvent[], refusal: YokeError | undefined): Row => {
  const begin = events.find((event) => event.type === 'run.started')
  const end = events.findLast((event) => event.type === 'run.finished')
  const made = events.filter((event) => event.type === 'commit.made')
  const sum = (key: 'insertions' | 'deletions') => made.reduce((all, each) => all + each[key], 0)
  return {
    name,
    result: end?.result ?? (refusal?.code === 'E_NOT_BEGUN' ? 'not begun' : 'failed'),
    iterations: end?.iterations ?? 0,
    costUsd: end?.costUsd ?? 0,
    branch: made.length === 0 ? '' : String(begin?.directives['branch'] ?? ''),
    commits: made.length,
    diff: made.length === 0 ? '' : `+${sum('insertions')} -${sum('deletions')}`,
    reason: end?.reason ?? refusal?.message ?? '',
  }
}

const columns = (colors: ReturnType<typeof picocolors.createColors>): readonly Column<Row>[] => [
  { title: 'task', cell: ({ name }) => name },
  {
    title: 'result',
    cell: ({ result }) => (result === 'not begun' ? colors.yellow : paintOf(result, colors))(result),
  },
  { title: 'iterations', cell: ({ iterations }) => String(iterations), right: true },
  { title: 'cost', cell: ({ costUsd }) => formatMoney(costUsd), right: true },
  { title: 'branch', cell: ({ branch }) => printable(branch) },
  { title: 'commits', cell: ({ commits }) => String(commits), right: true },
  { title: 'diff', cell: ({ diff }) => diff, right: true },
  { title: 'reason', cell: ({ reason }) => oneLine(reason, 60) },
]
