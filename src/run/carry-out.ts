import type { Role } from '../agents/agent.ts'
import type { Activity, NewEvent, RunEvent } from '../events.ts'
import { initialRun, type Run, reduceRun } from '../loop/run.ts'
import type { RunState } from '../loop/state.ts'
import { atomicWrite } from '../system/atomic-write.ts'
import type { RunContext, RunSettings } from './context.ts'
import { drive } from './drive.ts'
import { type LoopFolder, notesOf } from './folder.ts'
import { openJournal } from './journal.ts'
import { listenForSignals } from './signals.ts'
import { extendLineage, type Lineage, snapshotWriter } from './snapshot.ts'
import { takeResetOut } from './steps/notes.ts'

/** Who hears of what happens. */
export type RunListener = {
  readonly onEvent: (event: RunEvent) => void
  readonly onActivity: (activity: Activity & { readonly at: string; readonly run: string }) => void
}

/**
 * Carries a run from its first event, `begin`, or from the `past` events of a run that was stopped, to its end.
 * Resolves to the last event.
 */
export const carryOut = async (
  settings: RunSettings & RunListener,
  begin: NewEvent,
  past: readonly RunEvent[],
): Promise<RunEvent & { type: 'run.finished' }> => {
  const { run, now } = settings
  const journal = openJournal(run.events, run.id)
  const snapshot = snapshotWriter(run)
  let progress: Run = past.reduce(
    reduceRun,
    initialRun(settings.directives, startProgress(begin, past), now()),
  )
  let lineage: Lineage = past.reduce(extendLineage, {})
  let last: RunEvent | undefined
  const record = (event: NewEvent) => {
    last = journal.append(event, new Date(now()))
    progress = reduceRun(progress, last)
    snapshot.update(progress)
    const longer = extendLineage(lineage, last)
    if (longer !== lineage) {
      lineage = longer
      lineageWritten = lineageWritten.then(() =>
        atomicWrite(run.sessions, `${JSON.stringify(longer, undefined, 2)}\n`),
      )
    }
    settings.onEvent(last)
  }
  let lineageWritten = Promise.resolve()
  const stopper = listenForSignals((signal) => record({ type: 'run.stopping', signal }))
  const context: RunContext = {
    ...settings,
    progress: () => progress,
    state: () => progress.loop,
    record,
    show: (activity) => settings.onActivity({ ...activity, at: new Date(now()).toISOString(), run: run.id }),
    abort: stopper.abort,
    stop: stopper.stop,
  }
  try {
    record(begin)
    await forgetResets(settings.loop, progress.loop)
    await drive(context)
    await Promise.all([snapshot.flush(), lineageWritten])
  } finally {
    stopper.dispose()
    journal.close()
  }
  if (last?.type !== 'run.finished') throw new Error('the run ended without its last event')
  return last
}

/** A kill between an event and the change of the notes that goes with it leaves the line there, to be obeyed twice. */
const forgetResets = async (loop: LoopFolder, { sessions }: RunState): Promise<void> => {
  for (const [role, { reset }] of Object.entries(sessions))
    if (reset) await takeResetOut(notesOf(loop, role as Role))
}

const startProgress = (begin: NewEvent, past: readonly RunEvent[]): string => {
  const started = past[0] ?? begin
  return started.type === 'run.started' ? started.progress : ''
}
