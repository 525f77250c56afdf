import { resolve } from 'node:path'
import { locateSession } from '../agents/claude/locate.ts'
import { sessionGuard } from '../drift/guard.ts'
import { knownFormats } from '../drift/known-formats.ts'
import { exitCode, YokeError } from '../errors.ts'
import { parseNotes } from '../loop/notes.ts'
import type { Define } from '../main.ts'
import { loopFolder, readNotes } from '../run/folder.ts'
import { backupFile } from '../run/session-backup.ts'
import { type TrimResult, trim } from '../transcript/trim.ts'
import { printableJson } from '../ui/format.ts'
import { trimReportText } from '../ui/trim-report.ts'

type Options = {
  readonly keep?: string | readonly string[]
  readonly dryRun?: boolean
  readonly out?: string
  readonly staleReads?: string
  readonly json?: boolean
}

export const define: Define = (cli) => {
  cli
    .command(
      'trim <session>',
      'Cut a session of Claude Code down to the files that are named; a file or an id',
    )
    .option(
      '--keep <entries>',
      'What stays, as in a KEEP line; the notes of this project when it is left out (repeatable)',
    )
    .option('--dry-run', 'Show what would stay, and write nothing')
    .option('--out <file>', 'Write the trimmed session there, and leave the session as it is')
    .option(
      '--stale-reads <refresh|drop>',
      'What to do with a file that has changed since it was read (default: refresh)',
    )
    .option('--json', 'Print the report as JSON')
    .example('  yoke trim 1c6e3f7a --keep "src/a.ts, docs/**" --dry-run')
    .example('  yoke trim 1c6e3f7a --keep none')
    .example('  yoke restore 1c6e3f7a')
    .action(async (session: string, options: Options) => {
      const cwd = process.cwd()
      const { file, id, config, cwds, remarks } = await locateSession(String(session), cwd, process.env)
      const guard = sessionGuard(await knownFormats('claude', process.env), false)
      const result = await trim({
        guard,
        file,
        keep: await entriesOf(options.keep, cwd),
        cwd: cwds[0] ?? cwd,
        staleReads: staleReadsOf(options.staleReads),
        liveSessions: resolve(config, 'sessions'),
        backup: backupFile(id, process.env),
        dryRun: options.dryRun === true,
        ...(options.out === undefined ? {} : { out: resolve(cwd, String(options.out)) }),
      })
      return show(result, remarks, options.json === true)
    })
}

const entriesOf = async (given: Options['keep'], project: string): Promise<readonly string[]> => {
  const text =
    given === undefined
      ? readNotes(loopFolder(project).notes)
      : [given]
          .flat()
          .map((each) => `KEEP: ${each}`)
          .join('\n')
  const { keep } = parseNotes(text)
  if (keep !== undefined) return keep
  throw new YokeError(
    'E_NO_KEEP',
    'Nothing says what should stay: there is no --keep, and the notes of this project have no KEEP line.',
    'Name what should stay with --keep, or say --keep none.',
    exitCode.usage,
  )
}

const staleReadsOf = (given: string | undefined): 'refresh' | 'drop' => {
  if (given === undefined || given === 'refresh' || given === 'drop') return given ?? 'refresh'
  throw new YokeError('E_USAGE', `--stale-reads cannot be ${given}.`, 'Say refresh or drop.', exitCode.usage)
}

const show = (result: TrimResult, remarks: readonly string[], json: boolean): number => {
  for (const remark of remarks) process.stderr.write(`yoke: ${remark}\n`)
  if (json) process.stdout.write(`${printableJson(result)}\n`)
  else if (result.status !== 'refused')
    process.stdout.write(`${trimReportText(result.status, result.report)}\n`)
  if (result.status !== 'refused') return exitCode.done
  if (json) return exitCode.failed
  throw new YokeError(
    'E_TRIM_REFUSED',
    `${result.reason.replace(/\.$/, '')}.`,
    'The session is as it was.',
    exitCode.failed,
  )
}
