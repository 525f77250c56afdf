import type { Role } from '../agents/agent.ts'
import type { Activity, NewEvent, RunEvent } from '../events.ts'
import { initialRun, isListening, type Run, reduceRun } from '../loop/run.ts'
import type { RunState } from '../loop/state.ts'
import type { RunContext, RunSettings } from './context.ts'
import { drive } from './drive.ts'
import { type LoopFolder, notesOf, readNotes } from './folder.ts'
import { openJournal } from './journal.ts'
import { countLostAgent } from './lost-agent.ts'
import { fingerprinter, progressFingerprint } from './progress.ts'
import { listenForSignals } from './signals.ts'
import { snapshotWriter } from './snapshot.ts'
import { ignoreTask } from './steps/listen.ts'
import { takeResetOut } from './steps/notes.ts'
import { setAside } from './steps/set-aside.ts'

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
  const snapshot = snapshotWriter(run, past)
  let progress: Run = past.reduce(
    reduceRun,
    initialRun(settings.directives, startProgress(begin, past), now()),
  )
  let last: RunEvent | undefined
  const record = (event: NewEvent) => {
    last = journal.append(event, new Date(now()))
    progress = reduceRun(progress, last)
    snapshot.update(progress, last)
    settings.onEvent(last)
  }
  const told = new Set<string>()
  const stopper = listenForSignals((signal) => record({ type: 'run.stopping', signal }))
  const context: RunContext = {
    ...settings,
    progress: () => progress,
    state: () => progress.loop,
    record,
    show: (activity) => settings.onActivity({ ...activity, at: new Date(now()).toISOString(), run: run.id }),
    untold: (about, message) => {
      if (!told.has(about)) record({ type: 'warning', code: 'W_STEERING', message })
      told.add(about)
    },
    fingerprint: fingerprinter(async () =>
      progressFingerprint(settings.project, readNotes(settings.loop.notes)),
    ),
    abort: stopper.abort,
    stop: stopper.stop,
  }
  try {
    record(begin)
    for (const notice of settings.notices ?? []) record(notice)
    const held = settings.heldSignal?.()
    if (held !== undefined && !stopper.stop.aborted) stopper.hear(held)
    await countLostAgent(context, past)
    await forgetResets(settings.loop, progress.loop)
    await setStaleAside(context, past.at(-1))
    // What was killed in the middle of a turn has not looked at what the turn did to the task file.
    if (!isListening(progress) && past.at(-1)?.type !== 'run.finished') ignoreTask(context, undefined)
    await drive(context)
    await snapshot.flush()
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

/** A kill between the event and the move leaves the session where it was. */
const setStaleAside = async (context: RunContext, last: RunEvent | undefined): Promise<void> => {
  if (last?.type === 'session.stale') await setAside(context, last.session)
}

const startProgress = (begin: NewEvent, past: readonly RunEvent[]): string => {
  const started = past[0] ?? begin
  return started.type === 'run.started' ? started.progress : ''
}
