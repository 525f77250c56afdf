import { copyFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { locateSession } from '../agents/claude/locate.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { newestBackup } from '../run/session-backup.ts'
import { liveHolder } from '../transcript/live.ts'
import { restore } from '../transcript/trim.ts'

export const define: Define = (cli) => {
  cli
    .command('restore <session>', 'Undo the newest trim of a session; a file or an id')
    .example('  yoke restore 1c6e3f7a')
    .action(async (session: string) => {
      const cwd = process.cwd()
      const { file, id, config } = await locateSession(String(session), cwd, process.env)
      const holder = await liveHolder(join(config, 'sessions'), id)
      if (holder !== undefined)
        throw new YokeError(
          'E_SESSION_LIVE',
          `The session is in use by a running CLI (pid ${holder}).`,
          'End it first.',
        )
      const backup = await newestBackup(id, cwd, process.env)
      if (backup === undefined)
        throw new YokeError(
          'E_NO_BACKUP',
          `There is no backup of the session ${id}.`,
          'Run the command in the project whose run trimmed it.',
          exitCode.usage,
        )
      await exchange(file, backup)
      process.stdout.write(
        `${file} is what it was before the trim. What it was until now is kept: the same command takes it back.\n`,
      )
      return exitCode.done
    })
}

/** The session may have gone on since the trim: what it was until now becomes the backup. */
const exchange = async (file: string, backup: string): Promise<void> => {
  const present = `${backup}.present`
  await copyFile(file, present)
  await restore(file, backup)
  await rename(present, backup)
}
