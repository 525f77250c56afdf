import { resolve } from 'node:path'
import type { SessionTrimmed } from '../agents/agent.ts'
import { exitCode, YokeError } from '../errors.ts'
import { parseNotes } from '../loop/notes.ts'
import type { Define } from '../main.ts'
import { loopFolder, readNotes } from '../run/folder.ts'
import type { Holder } from '../run/lock.ts'
import { backupFile } from '../run/session-backup.ts'
import { holderOfSession } from '../run/session-holder.ts'
import { printableJson } from '../ui/format.ts'
import { trimReportText } from '../ui/trim-report.ts'
import { openSession } from './open-session.ts'

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
      'Cut a session down to the files that are named; a file or an id. That of OpenCode goes on under a new id',
    )
    .option(
      '--keep <entries>',
      'What stays, as in a KEEP line; the notes of this project when it is left out (repeatable)',
    )
    .option('--dry-run', 'Show what would stay, and write nothing')
    .option(
      '--out <file>',
      'Write the trimmed session there (of OpenCode: for `opencode import`), and leave the session as it is',
    )
    .option(
      '--stale-reads <refresh|drop>',
      'What to do with a file that has changed since it was read (default: refresh)',
    )
    .option('--json', 'Print the report as JSON')
    .example('  yoke trim 1c6e3f7a --keep "src/a.ts, docs/**" --dry-run')
    .example('  yoke trim 1c6e3f7a --keep none')
    .example('  yoke trim ses_dcfd36a7 --keep "src/**"')
    .example('  yoke restore 1c6e3f7a')
    .action(async (named: string, options: Options) => {
      const cwd = process.cwd()
      const { found, trim, goOnCommand } = await openSession(named)
      const wishes = {
        keep: await entriesOf(options.keep, cwd),
        staleReads: staleReadsOf(options.staleReads),
        backup: backupFile(found.id, process.env),
        dryRun: options.dryRun === true,
        ...(options.out === undefined ? {} : { out: resolve(cwd, String(options.out)) }),
      }
      const isLeft = wishes.dryRun || wishes.out !== undefined
      const holder = isLeft ? undefined : await holderOfSession(found.id, [cwd, ...found.cwds])
      const result = holder === undefined ? await trim(wishes) : heldByRun(holder)
      return show(result, options.json === true, goOnCommand)
    })
}

const heldByRun = ({ pid, run }: Holder): SessionTrimmed => ({
  status: 'refused',
  code: 'locked',
  reason: `The run ${run} of another yoke (pid ${pid}) works in the session.`,
})

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

const show = (result: SessionTrimmed, json: boolean, goOnCommand: (id: string) => string): number => {
  if (json) process.stdout.write(`${printableJson(result)}\n`)
  else if (result.status !== 'refused') process.stdout.write(`${trimReportText(result, goOnCommand)}\n`)
  if (result.status !== 'refused') return exitCode.done
  const exit = result.code === 'locked' ? exitCode.locked : exitCode.failed
  if (json) return exit
  throw new YokeError(
    'E_TRIM_REFUSED',
    `${result.reason.replace(/\.$/, '')}.`,
    'The session is as it was.',
    exit,
  )
}
