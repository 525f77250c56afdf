import { resolve } from 'node:path'
import { YokeError } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import { goalOf } from '../loop/run.ts'
import { readTask } from '../task/load.ts'
import { type LoopFolder, listRuns, loopFolder } from './folder.ts'
import { openRun, readPrompts, type StoredRun } from './open-run.ts'
import { type RunRequest, resumeRun, startRun } from './start.ts'

type End = RunEvent & { type: 'run.finished' }

/**
 * What a scheduler starts again and again until the work is over: goes on with the newest run of this task, begins one where there is
 * none, and does nothing where the task, as it is now, is done.
 */
export const startOrResume = async (
  request: RunRequest,
  taskFile: string,
  kind: 'brute' | 'saga',
): Promise<End> => {
  const file = resolve(request.project, taskFile)
  const newest = await newestRunOf(loopFolder(request.project), file, kind)
  if (newest === undefined) return startRun(request, taskFile, kind)
  const end = newest.events.at(-1)
  if (newest.state.finished !== 'done' || end?.type !== 'run.finished')
    return resumeRun(request, newest.folder.id)
  if (await isAnotherTask(newest, file)) return startRun(request, taskFile, kind)
  process.stderr.write(`yoke: The run ${newest.folder.id} of this task is done.\n`)
  return end
}

const newestRunOf = async (
  loop: LoopFolder,
  file: string,
  kind: 'brute' | 'saga',
): Promise<StoredRun | undefined> => {
  for (const id of (await listRuns(loop)).toReversed()) {
    const run = await openRun(loop, id).catch((error) => {
      // It was stopped before it began.
      if (error instanceof YokeError && error.code === 'E_NO_RUN') return undefined
      throw error
    })
    if (run?.begin.task === file && run.begin.kind === kind) return run
  }
  return undefined
}

const isAnotherTask = async ({ folder, state }: StoredRun, file: string): Promise<boolean> => {
  const { task } = await readPrompts(folder)
  return readTask(file, file).prompt !== goalOf({ loop: state }, task)
}
