import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { YokeError } from '../../errors.ts'
import { type Cli, runCli } from './cli.ts'
import { endCutOff } from './cut-off.ts'
import { exportSession, readExport } from './export.ts'
import { inScratch } from './scratch.ts'
import { keepSession, noteUndeleted } from './take-away.ts'

/**
 * Puts a session back as it was before its trim: a trim leaves the old one under its id until the next one, and then its export, which is
 * imported again. Resolves to whether that was needed. No trim deletes it from now on. Throws `E_RESTORE`.
 */
export const restoreSession = (cli: Cli, id: string, backup: string): Promise<'there' | 'imported'> =>
  inScratch(async (scratch) => {
    const output = join(scratch, 'output')
    const { session: wanted } = readExport(await readFile(backup, 'utf8'))
    if (typeof wanted === 'string') throw damaged(id, backup, `it is no session (${wanted})`)
    if (wanted.info.id !== id) throw damaged(id, backup, `it is one of ${wanted.info.id}`)
    await endCutOff(cli, backup)
    const expected = wanted.messages.length
    const present = await messagesOf(cli, id, output)
    // It may have gone on since.
    if (present !== undefined && present >= expected) {
      await keepSession(id, backup)
      return 'there'
    }
    // An import puts the session into the project of the folder that it is run in.
    const home = wanted.info.directory
    const place = existsSync(home) ? { ...cli, cwd: home } : cli
    const failure = await runCli(place, ['import', backup], output)
    if (failure === undefined && (await messagesOf(cli, id, output)) === expected) {
      await keepSession(id, backup)
      return 'imported'
    }
    // An import that failed leaves what it had stored until then.
    if (present === undefined && (await runCli(cli, ['session', 'delete', id], output)) !== undefined)
      await noteUndeleted(dirname(backup), id)
    throw new YokeError(
      'E_RESTORE',
      `OpenCode did not take the session ${id} back: ${failure ?? 'it holds other messages'}.`,
      `Its export is ${backup}.`,
    )
  })

const damaged = (id: string, backup: string, why: string): YokeError =>
  new YokeError(
    'E_RESTORE',
    `The backup of the session ${id} is damaged: ${why}.`,
    `Nothing was changed. The file is ${backup}.`,
  )

/** How many messages the stored session has; undefined when there is none. */
const messagesOf = async (cli: Cli, id: string, output: string): Promise<number | undefined> => {
  const found = await exportSession(cli, id, output)
  return 'reason' in found || typeof found.session === 'string' ? undefined : found.session.messages.length
}
