import { relative } from 'node:path'
import picocolors from 'picocolors'
import { exitCode, YokeError } from '../errors.ts'
import { elapsedMs } from '../loop/limits.ts'
import type { Define } from '../main.ts'
import { listRuns, loopFolder } from '../run/folder.ts'
import { projectPlaces } from '../run/git/worktree.ts'
import { openRun, stateWord } from '../run/open-run.ts'
import { formatClock, formatMoney, printable, printableJson } from '../ui/format.ts'
import { wantsColor } from '../ui/output.ts'
import { type Column, table } from '../ui/table.ts'

type Options = { readonly json?: boolean; readonly all?: boolean }

export const define: Define = (cli) => {
  cli
    .command('runs', 'List the runs of this project, the newest last')
    .option('--all', 'List those in the other worktrees of this repository as well')
    .option('--json', 'Print one JSON object a line')
    .example('  yoke runs')
    .example('  yoke runs --all')
    .example('  yoke runs --json | jq -r \'select(.state == "done").run\'')
    .action(async ({ json, all }: Options) => {
      const here = process.cwd()
      const places = all ? [...new Set([...(await projectPlaces(here)), here])] : [here]
      const rows = (await Promise.all(places.map(rowsOf))).flat()
      if (all) rows.sort((a, b) => (a.run < b.run ? -1 : 1))
      if (json) process.stdout.write(rows.map((row) => `${printableJson(row)}\n`).join(''))
      else process.stdout.write(rows.length === 0 ? nothing : `${text(rows)}\n`)
      return exitCode.done
    })
}

const nothing = 'There is no run in this project. Start one with `yoke brute task.md`.\n'

const rowsOf = async (project: string): Promise<readonly Row[]> =>
  Promise.all((await listRuns(loopFolder(project))).map((id) => summary(project, id)))

type Row = Awaited<ReturnType<typeof summary>>

/** A run that cannot be read is listed too: it takes nothing away from the others. */
const summary = async (project: string, id: string) => {
  try {
    const stored = await openRun(loopFolder(project), id)
    const { begin, state, holder } = stored
    return {
      run: id,
      project,
      state: stateWord(stored),
      kind: begin.kind,
      task: begin.task,
      iterations: state.iteration,
      workedMs: elapsedMs(state, holder === undefined ? state.lastEventAt : Date.now()),
      costUsd: state.costUsd,
      problem: null,
    }
  } catch (error) {
    if (!(error instanceof YokeError)) throw error
    return {
      run: id,
      project,
      state: 'unreadable',
      kind: null,
      task: null,
      iterations: null,
      workedMs: null,
      costUsd: null,
      problem: error.message,
    }
  }
}

const columns: readonly Column<Row>[] = [
  { title: 'run', cell: ({ run }) => run },
  { title: 'state', cell: ({ state }) => state },
  { title: 'iterations', cell: ({ iterations }) => String(iterations ?? ''), right: true },
  { title: 'time', cell: ({ workedMs }) => (workedMs === null ? '' : formatClock(workedMs)), right: true },
  { title: 'cost', cell: ({ costUsd }) => (costUsd === null ? '' : formatMoney(costUsd)), right: true },
  { title: 'worktree', cell: ({ project }) => printable(relative(process.cwd(), project)) },
  {
    title: 'task',
    cell: ({ kind, task, problem }) =>
      printable(problem ?? `${kind === 'saga' ? 'saga ' : ''}${task?.replace(`${process.cwd()}/`, '')}`),
  },
]

const text = (rows: readonly Row[]): string =>
  table(rows, columns, picocolors.createColors(wantsColor(process.stdout, process.env)))
