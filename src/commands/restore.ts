import { existsSync } from 'node:fs'
import { copyFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { locateSession } from '../agents/claude/locate.ts'
import { ambiguous } from '../agents/named-session.ts'
import { cliIn } from '../agents/opencode/cli.ts'
import { isSessionId } from '../agents/opencode/ids.ts'
import { opencode } from '../agents/opencode/opencode.ts'
import { restoreSession } from '../agents/opencode/restore.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import type { Define } from '../main.ts'
import { loopFolder } from '../run/folder.ts'
import { readJournal } from '../run/journal.ts'
import { extendLineage } from '../run/lineage.ts'
import { newestBackup, trimmedSessions } from '../run/session-backup.ts'
import { liveHolder } from '../transcript/live.ts'
import { restore } from '../transcript/trim.ts'

export const define: Define = (cli) => {
  cli
    .command('restore <session>', 'Undo the newest trim of a session; a file or an id')
    .example('  yoke restore 1c6e3f7a')
    .example('  yoke restore ses_dcfd36a7    # beside the trimmed one, with which its run goes on')
    .action(async (session: string) => {
      const cwd = process.cwd()
      if (isSessionId(session)) return restoreOpencode(session, cwd)
      const { file, id, config } = await locateSession(String(session), cwd, process.env)
      const holder = liveHolder(join(config, 'sessions'), id)
      if (holder !== undefined)
        throw new YokeError(
          'E_SESSION_LIVE',
          `The session is in use by a running CLI (pid ${holder}).`,
          'End it first.',
        )
      const backup = await backupOf(id, cwd)
      await exchange(file, backup)
      process.stdout.write(
        `${file} is what it was before the trim. What it was until now is kept: the same command takes it back.\n`,
      )
      return exitCode.done
    })
}

const backupOf = async (id: string, cwd: string): Promise<string> => {
  const backup = await newestBackup(id, cwd, process.env)
  if (backup !== undefined) return backup
  throw new YokeError(
    'E_NO_BACKUP',
    `There is no backup of the session ${id}.`,
    'Name a session that was trimmed; one of a run in the project of the run.',
    exitCode.usage,
  )
}

/**
 * A session of OpenCode goes on under another id after a trim: the one before it is there again, beside that. Either id may be
 * named, since `yoke status` shows the newer one.
 */
const restoreOpencode = async (named: string, cwd: string): Promise<number> => {
  const choices = await trimmedSessions(named, cwd, process.env)
  if (choices.length > 1) throw ambiguous(named, choices, 'Name one of them.')
  const [id = named] = choices
  const backup = await backupOf(id, cwd)
  refuseOfContainer(id, backup, cwd)
  const how = await restoreSession(await cliIn(cwd, process.env), id, backup)
  const successor = successorIn(backup, id)
  process.stdout.write(
    `The session is ${how === 'there' ? 'still' : 'again'} what it was before the trim: ${opencode.goOnCommand(id)}\n${successor}`,
  )
  return exitCode.done
}

/** A run is not turned back: what it goes on with, in a line, when it is another session. */
const successorIn = (backup: string, id: string): string => {
  const events = eventsBeside(backup)
  const successors = Object.values(events.reduce(extendLineage, {})).flatMap((sessions) => {
    const last = sessions.at(-1)
    return last !== undefined && last.id !== id && sessions.some((each) => each.id === id) ? [last.id] : []
  })
  return successors.length === 0
    ? ''
    : `The run ${events[0]?.run} is not turned back: it goes on with ${successors.join(', ')}. What you do in ${id} stays beside it, and is not deleted.\n`
}

/** The events of the run that a backup is one of; none of one by hand. */
const eventsBeside = (backup: string): readonly RunEvent[] => {
  const log = join(dirname(backup), '..', 'events.jsonl')
  return existsSync(log) ? readJournal(log) : []
}

/** Its store is the project's own, and the OpenCode of this machine may be one that changes it. Throws `E_RESTORE`. */
const refuseOfContainer = (id: string, backup: string, cwd: string): void => {
  const started = eventsBeside(backup).find(({ type }) => type === 'run.started')
  if (started?.type !== 'run.started' || started.directives['image'] === undefined) return
  const store = join(loopFolder(cwd).root, 'agent-home', 'data')
  throw new YokeError(
    'E_RESTORE',
    `The session ${id} is one of a run in containers: it is stored in ${store}, for the OpenCode of the image.`,
    `With the same release, in the project: XDG_DATA_HOME="${store}" opencode import "${backup}"`,
  )
}

/** The session may have gone on since the trim: what it was until now becomes the backup. */
const exchange = async (file: string, backup: string): Promise<void> => {
  const present = `${backup}.present`
  await copyFile(file, present)
  await restore(file, backup)
  await rename(present, backup)
}
