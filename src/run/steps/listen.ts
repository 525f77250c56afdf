import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEvent } from '../../events.ts'
import { parseNotes } from '../../loop/notes.ts'
import { goalOf } from '../../loop/run.ts'
import { sessionOf } from '../../loop/session.ts'
import { differenceOf } from '../../task/difference.ts'
import { readTask } from '../../task/load.ts'
import type { RunContext } from '../context.ts'
import { readNotes } from '../folder.ts'
import { type Message, readInbox, removeMessage } from '../inbox.ts'
import { digestOf, digestOfNotes, takeResetOut } from './notes.ts'

/** What listening stands on. */
export type Hearing = Pick<
  RunContext,
  'run' | 'loop' | 'task' | 'taskFile' | 'state' | 'progress' | 'record' | 'untold'
>

/** Hears what people have told the run since it listened last, and reads the task file and the notes anew. */
export const listen = async (context: Hearing): Promise<void> => {
  await hearMessages(context)
  await lookAtTask(context)
  await lookAtNotes(context)
}

/**
 * Turns the messages of the inbox into events, and only then takes them out: one that a kill left there is in the events, and
 * is not heard twice.
 */
export const hearMessages = async (context: Hearing): Promise<void> => {
  const { run, state, record, untold } = context
  for (const letter of readInbox(run)) {
    const { name } = letter
    if ('problem' in letter) {
      untold(name, `The message ${name} in ${run.inbox} cannot be read, and is left there: ${letter.problem}`)
      continue
    }
    if (!state().heard.includes(name)) record(eventOf(letter.message, name, context))
    await removeMessage(run, name)
  }
}

const eventOf = (message: Message, inbox: string, context: Hearing): NewEvent => {
  switch (message.type) {
    case 'say':
      return { type: 'person.said', inbox, text: message.text }
    case 'task':
      return { ...taskChanged(context, message.prompt), inbox }
    case 'pause':
      return { type: 'run.paused', inbox }
    case 'continue':
      return { type: 'run.continued', inbox }
    case 'stop':
      return { type: 'run.stopping', inbox, signal: 'SIGTERM' }
  }
}

const taskChanged = (context: Hearing, prompt: string): NewEvent & { type: 'task.changed' } => {
  const known = goalOf(context.progress(), context.task)
  const since = sessionOf(context.state(), 'worker').taskChange?.since ?? known
  return { type: 'task.changed', prompt, since, difference: differenceOf(since, prompt) }
}

const lookAtTask = async (context: Hearing): Promise<void> => {
  const { state, record, progress, task } = context
  for (let seen: string | undefined; ; await sleep(settleMs)) {
    const prompt = promptOnDisk(context)
    if (prompt === undefined || prompt === goalOf(progress(), task)) return
    if (digestOf(prompt) === state().ignoredTask) return
    if (prompt === seen) return record(taskChanged(context, prompt))
    seen = prompt
  }
}

/** An editor may be in the middle of writing the file. */
const settleMs = 100

/** The prompt in the task file; undefined, and told once, when there is none: the task stays what it was. */
export const promptOnDisk = ({ taskFile, untold }: Hearing): string | undefined => {
  try {
    return readTask(taskFile, taskFile).prompt
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    untold(why, `${why} The run keeps to the task as it was.`)
    return undefined
  }
}

/** Does something that the worker does, or what it wrote: a change of the task file that comes of it is not a person's. */
export const guardingTask = async (context: Hearing, act: () => Promise<void>): Promise<void> => {
  const before = promptOnDisk(context)
  try {
    await act()
  } finally {
    ignoreTask(context, before)
  }
}

/** Leaves the task as it is, if its file is not what it was `before`. */
export const ignoreTask = (context: Hearing, before: string | undefined): void => {
  const { state, record, progress, task } = context
  const known = goalOf(progress(), task)
  const after = promptOnDisk(context)
  if (after === undefined || after === before || after === known) return
  const digest = digestOf(after)
  if (digest !== state().ignoredTask)
    record({ type: 'task.ignored', digest, difference: differenceOf(known, after) })
}

const lookAtNotes = async ({ loop, state, record }: Hearing): Promise<void> => {
  const { notesDigest } = state()
  // Before the worker's first turn there is nothing that it has not read.
  if (notesDigest === undefined) return
  const text = readNotes(loop.notes)
  const { reset } = parseNotes(text)
  const digest = digestOfNotes(text)
  if (digest === notesDigest && !reset) return
  record({ type: 'notes.changed', reset, digest })
  if (reset) await takeResetOut(loop.notes)
}

const pollMs = 300

/** Holds the run until a person lifts the pause or stops it. */
export const pause = async (context: RunContext): Promise<void> => {
  const { state, stop } = context
  while (state().pausedSince !== undefined && state().stopping === undefined) {
    await sleep(pollMs, undefined, { signal: stop }).catch(() => undefined)
    await hearMessages(context)
  }
}
