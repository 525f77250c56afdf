import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { YokeError } from '../../errors.ts'
import { type Cli, runCli } from './cli.ts'
import { parseSession } from './session-schema.ts'

/** Beside the backups: a file that holds the id of the session that this one was trimmed from. */
export const originFile = (backups: string, id: string): string => join(backups, `${id}.origin`)

/**
 * Puts a session back as it was before its trim: a trim leaves the old one under its id until the next one, and then its export, which is
 * imported again. Resolves to whether that was needed. Throws `E_RESTORE`.
 */
export const restoreSession = async (cli: Cli, id: string, backup: string): Promise<'there' | 'imported'> => {
  const scratch = await mkdtemp(join(tmpdir(), 'yoke-restore-'))
  const output = join(scratch, 'output')
  try {
    const wanted = parseSession(JSON.parse(await readFile(backup, 'utf8')))
    const expected = typeof wanted === 'string' ? 0 : wanted.messages.length
    const present = await messagesOf(cli, id, output)
    // It may have gone on since.
    if (present !== undefined && present >= expected) return 'there'
    const failure = await runCli(cli, ['import', backup], output)
    if (failure === undefined && (await messagesOf(cli, id, output)) === expected) return 'imported'
    // An import that failed leaves what it had stored until then.
    if (present === undefined) await runCli(cli, ['session', 'delete', id], output)
    throw new YokeError(
      'E_RESTORE',
      `OpenCode did not take the session ${id} back: ${failure ?? 'it holds other messages'}.`,
      `Its export is ${backup}.`,
    )
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** How many messages the stored session has; undefined when there is none. */
const messagesOf = async (cli: Cli, id: string, output: string): Promise<number | undefined> => {
  if ((await runCli(cli, ['export', id], output)) !== undefined) return undefined
  const session = parseSession(JSON.parse(await readFile(output, 'utf8')))
  return typeof session === 'string' ? undefined : session.messages.length
}
