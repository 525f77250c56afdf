import { exitCode, YokeError } from '../errors.ts'
import type { Activity, RunEvent } from '../events.ts'
import { exitCodeOfAll, type Fleet, joinFleet, othersOf } from '../loop/fleet.ts'
import { requireWorktrees, worktreeName } from './git/worktree.ts'
import { holdSignals } from './signals.ts'
import { lookAtTask, type RunRequest, startRun } from './start.ts'

/** Who hears of what happens in the runs of several tasks; each task has a name of its own. */
export type FleetListener = {
  readonly onEvent: (name: string, event: RunEvent) => void
  readonly onActivity: (name: string, activity: Activity) => void
  readonly onNote: (name: string, text: string) => void
  /** A task that could not be begun, or was not, and why. */
  readonly onRefusal: (name: string, error: YokeError) => void
}

/** A task of several, under a name of its own. */
export type FleetTask = { readonly name: string; readonly file: string }

type FleetRequest = Omit<RunRequest, 'onEvent' | 'onActivity' | 'worktree'>

/** Looks at all tasks before the first one begins, and at what their worktrees stand on. Throws what `startRun` throws. */
export const lookAtFleet = async (
  request: FleetRequest,
  files: readonly string[],
): Promise<readonly FleetTask[]> => {
  await requireWorktrees(request.project)
  for (const file of files)
    await lookAtTask({ ...request, onEvent: () => undefined, onActivity: () => undefined }, file, 'brute')
  return namesOf(files).map((name, index) => ({ name, file: files[index] ?? '' }))
}

/**
 * Works on several tasks, so many at once, each in a worktree and on a branch of its own. They share the limit of cost and each wait
 * for a usage limit; nothing is merged. Resolves to the exit code (§3.14).
 */
export const runFleet = async (
  request: FleetRequest,
  tasks: readonly FleetTask[],
  { parallel, ...listener }: FleetListener & { readonly parallel: number },
): Promise<number> => {
  const queue = tasks.map((task, index) => ({ ...task, index }))
  const codes: number[] = queue.map(() => exitCode.failed)
  let fleet: Fleet = new Map()
  const signals = holdSignals()

  const work = async ({ name, file, index }: (typeof queue)[number]): Promise<void> => {
    const held = signals.held()
    if (held !== undefined) {
      codes[index] = held === 'SIGTERM' ? exitCode.terminated : exitCode.interrupted
      listener.onRefusal(name, notBegun)
      return
    }
    let id = ''
    try {
      const end = await startRun(
        {
          ...request,
          worktree: {},
          heldSignal: signals.held,
          others: () => othersOf(fleet, id),
          onEvent: (event) => {
            id = event.run
            fleet = joinFleet(fleet, event)
            listener.onEvent(name, event)
          },
          onNote: (text) => listener.onNote(name, text),
          onActivity: (activity) => listener.onActivity(name, activity),
        },
        file,
      )
      codes[index] = end.exitCode
    } catch (error) {
      // The others go on: what they have done must not be lost for this one.
      if (!(error instanceof YokeError)) throw error
      codes[index] = error.exit
      listener.onRefusal(name, error)
    }
  }
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
  }
  try {
    const ended = await Promise.allSettled(Array.from({ length: parallel }, worker))
    for (const each of ended) if (each.status === 'rejected') throw each.reason
    return exitCodeOfAll(codes)
  } finally {
    signals.release()
  }
}

const notBegun = new YokeError('E_NOT_BEGUN', 'It was not begun: yoke was stopped.', 'Start it again.')

/** The names of the tasks, after their files; those of the same name are numbered. */
const namesOf = (files: readonly string[]): readonly string[] => {
  const names: string[] = []
  for (const file of files) {
    const stem = worktreeName(file)
    let name = stem
    for (let count = 2; names.includes(name); count += 1) name = `${stem}-${count}`
    names.push(name)
  }
  return names
}
