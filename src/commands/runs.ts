import picocolors from 'picocolors'
import { exitCode, YokeError } from '../errors.ts'
import { elapsedMs } from '../loop/limits.ts'
import type { Define } from '../main.ts'
import { listRuns, loopFolder } from '../run/folder.ts'
import { openRun, stateWord } from '../run/open-run.ts'
import { formatClock, formatMoney, printable, printableJson } from '../ui/format.ts'
import { wantsColor } from '../ui/output.ts'
import { type Column, table } from '../ui/table.ts'

export const define: Define = (cli) => {
  cli
    .command('runs', 'List the runs of this project, the newest last')
    .option('--json', 'Print one JSON object a line')
    .example('  yoke runs')
    .example('  yoke runs --json | jq -r \'select(.state == "done").run\'')
    .action(async ({ json }: { json?: boolean }) => {
      const loop = loopFolder(process.cwd())
      const rows = await Promise.all((await listRuns(loop)).map((id) => summary(id)))
      if (json) process.stdout.write(rows.map((row) => `${printableJson(row)}\n`).join(''))
      else process.stdout.write(rows.length === 0 ? nothing : `${text(rows)}\n`)
      return exitCode.done
    })
}

const nothing = 'There is no run in this project. Start one with `yoke brute task.md`.\n'

type Row = Awaited<ReturnType<typeof summary>>

/** A run that cannot be read is listed too: it takes nothing away from the others. */
const summary = async (id: string) => {
  try {
    const stored = await openRun(loopFolder(process.cwd()), id)
    const { begin, state, holder } = stored
    return {
      run: id,
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
  {
    title: 'task',
    cell: ({ kind, task, problem }) =>
      printable(problem ?? `${kind === 'saga' ? 'saga ' : ''}${task?.replace(`${process.cwd()}/`, '')}`),
  },
]

const text = (rows: readonly Row[]): string =>
  table(rows, columns, picocolors.createColors(wantsColor(process.stdout, process.env)))
