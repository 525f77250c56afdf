import { exitCode, YokeError } from '../errors.ts'
import { readTask } from '../task/load.ts'
import { type LoopFolder, type RunFolder, runFolder } from './folder.ts'
import { type Message, putMessage, readInbox, removeMessage } from './inbox.ts'
import { type Holder, isAlive, readHolder, thisHost } from './lock.ts'
import { openRun, type StoredRun } from './open-run.ts'

const longestText = 10_000

/** Leaves a line for the worker's next prompt. Throws `E_USAGE` for none or a very long one, `E_RUN_DONE` for a run that is done. */
export const say = async (loop: LoopFolder, wanted: string | undefined, text: string): Promise<StoredRun> => {
  if (text.trim() === '' || text.length > longestText)
    throw new YokeError(
      'E_USAGE',
      text.trim() === ''
        ? 'There is nothing to say.'
        : `That is too long to say: ${text.length} characters, ${longestText} is the most.`,
      text.trim() === ''
        ? 'Name it: `yoke say "Leave the database alone."`'
        : 'Write it into a file of the project, and name the file.',
      exitCode.usage,
    )
  return leave(loop, wanted, { type: 'say', text })
}

/** Lets a run take its task file over as it is now. Throws what `say` throws, and `E_TASK_...` for a file that is no task. */
export const takeTaskOver = async (loop: LoopFolder, wanted: string | undefined): Promise<StoredRun> => {
  const { begin } = await meant(loop, wanted)
  const { prompt } = readTask(begin.task, begin.task)
  return leave(loop, wanted, { type: 'task', prompt })
}

const leave = async (loop: LoopFolder, wanted: string | undefined, message: Message): Promise<StoredRun> => {
  const stored = await meant(loop, wanted)
  const { folder, state, holder } = stored
  if (state.finished === 'done' && holder === undefined)
    throw new YokeError(
      'E_RUN_DONE',
      `The run ${folder.id} is done.`,
      'Start another one with `yoke brute`.',
      exitCode.usage,
    )
  await putMessage(folder, message, new Date())
  return stored
}

/** Holds a run before its next iteration. Throws `E_NOT_RUNNING`. */
export const pauseRun = async (loop: LoopFolder, wanted: string | undefined): Promise<StoredRun> => {
  const holder = await liveHolder(loop)
  if (holder === undefined && wanted === undefined) throw notRunning(wanted)
  const stored = await meant(loop, wanted)
  if (stored.holder === undefined) throw notRunning(wanted)
  await putMessage(stored.folder, { type: 'pause' }, new Date())
  return stored
}

/**
 * Lifts the pause of a run that is alive; undefined when there is nothing to lift, and so a run to resume. `changes` are the
 * directives that are to change with it. Throws `E_USAGE` for any: a run has those that it was started with.
 */
export const liftPause = async (
  loop: LoopFolder,
  wanted: string | undefined,
  changes: readonly string[],
): Promise<StoredRun | undefined> => {
  const stored = await meant(loop, wanted)
  if (stored.holder === undefined || !(await isPausing(stored))) return undefined
  if (changes.length > 0)
    throw new YokeError(
      'E_USAGE',
      `The run ${stored.folder.id} is paused, not stopped: it keeps its directives (${changes.map((key) => `--${key}`).join(', ')}).`,
      'End it with `yoke stop`, then resume it with them; or leave them out.',
      exitCode.usage,
    )
  await putMessage(stored.folder, { type: 'continue' }, new Date())
  return stored
}

const isPausing = async ({ folder, state }: StoredRun): Promise<boolean> => {
  const asked = readInbox(folder).flatMap((letter) =>
    'message' in letter && (letter.message.type === 'pause' || letter.message.type === 'continue')
      ? [letter.message.type]
      : [],
  )
  return (asked.at(-1) ?? (state.pausedSince === undefined ? 'continue' : 'pause')) === 'pause'
}

/** Ends a run after its iteration; the second time it ends it now, if it is on this machine. Throws `E_NOT_RUNNING`. */
export const stopRun = async (loop: LoopFolder, wanted: string | undefined): Promise<Holder> => {
  const holder = await liveHolder(loop)
  if (holder === undefined || !holder.run.startsWith(wanted ?? '')) throw notRunning(wanted)
  // The process of another machine, or of a container, has a number that may be anybody's here.
  if (holder.host === thisHost) process.kill(holder.pid, 'SIGTERM')
  else await putMessage(runFolder(loop, holder.run), { type: 'stop' }, new Date())
  return holder
}

/** The run that was named, else the one that is alive, else the newest. */
const meant = async (loop: LoopFolder, wanted: string | undefined): Promise<StoredRun> =>
  openRun(loop, wanted ?? (await liveHolder(loop))?.run)

const liveHolder = async (loop: LoopFolder): Promise<Holder | undefined> => {
  const holder = await readHolder(loop.lock)
  return holder !== undefined && isAlive(holder) ? holder : undefined
}

const notRunning = (wanted: string | undefined): YokeError =>
  new YokeError(
    'E_NOT_RUNNING',
    wanted === undefined ? 'No yoke runs in this project.' : `The run ${wanted} is not running.`,
    'Look at past runs with `yoke status`.',
  )

/** Takes out what was to hold or end a run that has ended without hearing it: a person wants it to go on. */
export const forgetHolds = async (run: RunFolder): Promise<void> => {
  for (const letter of readInbox(run))
    if ('message' in letter && ['pause', 'continue', 'stop'].includes(letter.message.type))
      await removeMessage(run, letter.name)
}
