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
  saga === undefined ? nextStep(loop, now) : sagaStep(saga, loop, now)

/** What worker and judge are given: the task, or in a saga the plan of the cycle. */
export const taskOf = ({ saga }: Run, task: string): string => saga?.plan?.plan ?? task
