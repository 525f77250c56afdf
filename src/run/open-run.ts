import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { exitCode, YokeError } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import { initialRun, reduceRun } from '../loop/run.ts'
import type { SagaState } from '../loop/saga.ts'
import type { RunState } from '../loop/state.ts'
import { type Directives, DirectivesSchema } from '../task/directives.ts'
import { type LoopFolder, listRuns, type RunFolder, runFolder } from './folder.ts'
import { readJournal } from './journal.ts'
import { type Holder, isAlive, readHolder } from './lock.ts'

/** A run as its files tell it. */
export type StoredRun = {
  readonly loop: LoopFolder
  readonly folder: RunFolder
  readonly events: readonly RunEvent[]
  readonly begin: RunEvent & { type: 'run.started' }
  readonly directives: Directives
  readonly state: RunState
  readonly saga?: SagaState
  /** The yoke that carries it on right now. */
  readonly holder?: Holder
}

/** Opens the run with this id (or a beginning of it that fits one run only), or the newest one. */
export const openRun = async (loop: LoopFolder, wanted: string | undefined): Promise<StoredRun> => {
  const folder = runFolder(loop, await findRun(loop, wanted))
  const events = readJournal(folder.events)
  const begin = events[0]
  if (begin?.type !== 'run.started')
    throw new YokeError(
      'E_NO_RUN',
      `The run ${folder.id} was stopped before it began.`,
      'Start it again with `yoke brute`.',
    )
  const newest = events.findLast((event) => event.type === 'run.started' || event.type === 'run.resumed')
  const directives = v.parse(DirectivesSchema, (newest ?? begin).directives)
  const { loop: state, saga } = events.reduce(
    reduceRun,
    initialRun(directives, begin.progress, Date.parse(begin.at)),
  )
  const holder = await readHolder(loop.lock)
  return {
    loop,
    folder,
    events,
    begin,
    directives,
    state,
    ...(saga === undefined ? {} : { saga }),
    ...(holder !== undefined && holder.run === folder.id && isAlive(holder) ? { holder } : {}),
  }
}

/** Where a run stands, in a word. */
export const stateWord = ({ holder, state }: StoredRun): string =>
  holder === undefined
    ? (state.finished ?? 'stopped')
    : state.pausedSince === undefined
      ? 'running'
      : 'paused'

/** What the run was started with, and goes on with whatever becomes of the files. */
export const readPrompts = async (
  run: RunFolder,
): Promise<{ readonly task: string; readonly judgeWords?: string; readonly instructions?: string }> => {
  const task = await readFile(run.task, 'utf8').catch((error) => {
    throw new YokeError(
      'E_NO_RUN',
      `The run ${run.id} has lost its task: ${run.task} cannot be read (${error.code}).`,
      'Put the file back, or start a new run with `yoke brute`; the notes and the agent sessions are not affected.',
    )
  })
  const judgeWords = await readFile(run.judge, 'utf8').catch(() => undefined)
  const instructions = await readFile(run.instructions, 'utf8').catch(() => undefined)
  return {
    task,
    ...(judgeWords === undefined ? {} : { judgeWords }),
    ...(instructions === undefined ? {} : { instructions }),
  }
}

const findRun = async (loop: LoopFolder, wanted: string | undefined): Promise<string> => {
  const runs = await listRuns(loop)
  const fitting = wanted === undefined ? runs.slice(-1) : runs.filter((id) => id.startsWith(wanted))
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) return only
  if (wanted === undefined)
    throw new YokeError(
      'E_NO_RUN',
      'There is no run in this project.',
      'Start one with `yoke brute task.md`.',
      exitCode.usage,
    )
  throw new YokeError(
    'E_NO_RUN',
    fitting.length === 0
      ? `There is no run "${wanted}" in this project.`
      : `"${wanted}" fits ${fitting.length} runs.`,
    `Name one of: ${(fitting.length === 0 ? runs : fitting).slice(-5).join(', ')}.`,
    exitCode.usage,
  )
}
