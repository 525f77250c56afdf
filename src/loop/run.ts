import type { RunEvent } from '../events.ts'
import type { Directives } from '../task/directives.ts'
import { type Now, nextStep } from './next.ts'
import { initialState, reduce } from './reduce.ts'
import { initialSaga, reduceSaga, type SagaState, sagaStep } from './saga.ts'
import type { RunState, Step } from './state.ts'

/** A run of either kind: a loop, and for a saga what plans the loop's tasks. */
export type Run = { readonly loop: RunState; readonly saga?: SagaState }

/** The run before its first event. */
export const initialRun = (directives: Directives, progress: string, now: number): Run => ({
  loop: initialState(directives, progress, now),
})

/** The run after one more event. */
export const reduceRun = (run: Run, event: RunEvent): Run => {
  const loop = reduce(run.loop, event)
  if (event.type === 'run.started') return event.kind === 'saga' ? { loop, saga: initialSaga } : { loop }
  return run.saga === undefined ? { loop } : { loop, saga: reduceSaga(run.saga, event, loop) }
}

export const nextRunStep = ({ loop, saga }: Run, now: Now): Step =>
  saga === undefined ? nextStep(loop, { ...now, task: loop.task ?? now.task }) : sagaStep(saga, loop, now)

/** The task, or the goal of a saga, as it is now; `task` is what the run began with. */
export const goalOf = ({ loop }: Run, task: string): string => loop.task ?? task

/** What worker and judge are given: the task, or in a saga the plan of the cycle. */
export const taskOf = (run: Run, task: string): string => run.saga?.plan?.plan ?? goalOf(run, task)

/** Whether nothing is under way, so that a person's word counts (§3.12): before an iteration or a plan, and in a wait. */
export const isListening = ({ loop, saga }: Run): boolean =>
  loop.waitUntil !== undefined ||
  (saga === undefined || saga.phase.at === 'cycle' ? loop.phase.at === 'ready' : saga.phase.at === 'scope')
