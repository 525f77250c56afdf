import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import picocolors from 'picocolors'
import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { generator, reportPage } from '../report/page.ts'
import { type Report, reportOf } from '../report/report.ts'
import { reportText } from '../report/text.ts'
import { openNamedRun } from '../run/git/worktree.ts'
import { atomicWrite } from '../system/atomic-write.ts'
import { printableJson } from '../ui/format.ts'
import { wantsColor } from '../ui/output.ts'

type ReportOptions = { readonly html?: unknown; readonly json?: boolean; readonly force?: boolean }

export const define: Define = (cli) => {
  cli
    .command(
      'report [run]',
      'Show what each iteration of a run took and brought: the newest run, or this one',
    )
    .option('--html <file>', 'Write a page with charts that needs no network')
    .option('--force', 'Write over a file that is no report')
    .option('--json', 'Print it as JSON')
    .example('  yoke report')
    .example('  yoke report --html report.html')
    .example("  yoke report --json | jq '.iterations[].costUsd'")
    .action(async (run: string | undefined, options: ReportOptions) => {
      const { begin, events, holder } = await openNamedRun(run)
      const report = reportOf(begin, events, holder !== undefined)
      if (options.html !== undefined) await writePage(report, String(options.html), options.force === true)
      else if (options.json) process.stdout.write(`${printableJson(report)}\n`)
      else
        process.stdout.write(
          `${reportText(report, picocolors.createColors(wantsColor(process.stdout, process.env)))}\n`,
        )
      return exitCode.done
    })
}

/** Throws `E_EXISTS` where another file than an earlier report stands, `E_NOT_WRITABLE` where it cannot be written. */
const writePage = async (report: Report, file: string, force: boolean): Promise<void> => {
  const page = reportPage(report)
  const path = resolve(file)
  const there = await readFile(path, 'utf8').catch(() => undefined)
  if (there !== undefined && !force && !there.slice(0, 1000).includes(generator))
    throw new YokeError(
      'E_EXISTS',
      `${file} is already there and is no report of yoke.`,
      'Name another file, or write over it with --force.',
      exitCode.usage,
    )
  await atomicWrite(path, page).catch((error: NodeJS.ErrnoException) => {
    throw new YokeError(
      'E_NOT_WRITABLE',
      `${file} cannot be written (${error.code ?? error.message}).`,
      'Name a file in a folder that you may write to.',
    )
  })
  process.stdout.write(`${file} is written. It needs no network: open it in any browser.\n`)
}
