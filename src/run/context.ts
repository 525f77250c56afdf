import type { Agent, Place, Role } from '../agents/agent.ts'
import type { Activity, NewEvent } from '../events.ts'
import type { Others } from '../loop/fleet.ts'
import type { Run } from '../loop/run.ts'
import type { RunState } from '../loop/state.ts'
import type { Directives } from '../task/directives.ts'
import type { LoopFolder, RunFolder } from './folder.ts'
import type { Fingerprinter } from './progress.ts'

/** An agent that can be started. */
export type InstalledAgent = {
  readonly agent: Agent
  /** The absolute path of its program; in an image its name. */
  readonly agentFile: string
}

/** Who plays which role; a periodic is played by the worker's agent. */
export type Cast = Readonly<Record<'worker' | 'judge' | 'scoper', InstalledAgent>>

/** The agent that plays a role. */
export const playerOf = (cast: Cast, role: Role): InstalledAgent =>
  role === 'judge' || role === 'scoper' ? cast[role] : cast.worker

/** What a run is given at its start. */
export type RunSettings = {
  readonly project: string
  /** Absolute path of the file that the run was started with. */
  readonly taskFile: string
  /** What the runs beside it are at. */
  readonly others?: (() => Others) | undefined
  /** A signal that came before the run could hear it. */
  readonly heldSignal?: (() => NodeJS.Signals | undefined) | undefined
  /** What is to be said once the run has begun. */
  readonly notices?: readonly NewEvent[]
  readonly loop: LoopFolder
  readonly run: RunFolder
  readonly cast: Cast
  readonly directives: Directives
  /** The prompt that the run began with; `goalOf` tells what has become of it. */
  readonly task: string
  /** The user's own words for the judge, from the file that the `judge` directive names. */
  readonly judgeWords?: string
  /** The project's instructions for judge and scoper, as they were when the run began. */
  readonly instructions?: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where agents are started; on the host when it is left out. */
  readonly place?: Place
  readonly now: () => number
  readonly random: () => number
}

/** What the steps of a run work with. */
export type RunContext = RunSettings & {
  readonly progress: () => Run
  /** The loop of the run. */
  readonly state: () => RunState
  readonly record: (event: NewEvent) => void
  readonly show: (activity: Activity) => void
  /** Records a warning about steering, once for each thing that it is about. */
  readonly untold: (about: string, message: string) => void
  /** Of HEAD, of the working tree and of the notes. */
  readonly fingerprint: Fingerprinter
  /** Ends everything at once: the second signal. */
  readonly abort: AbortSignal
  /** Wakes up waits: the first signal. */
  readonly stop: AbortSignal
}

/** Thrown by a step that the second signal ended: nothing is recorded, so that a resumed run does the step again. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
}
