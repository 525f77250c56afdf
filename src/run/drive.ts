import { exitCodeOf } from '../loop/finish.ts'
import { runningMs } from '../loop/limits.ts'
import { isListening, nextRunStep } from '../loop/run.ts'
import type { Step } from '../loop/state.ts'
import { Aborted, type RunContext } from './context.ts'
import { check } from './steps/check.ts'
import { commit } from './steps/commit.ts'
import { finishCycle, logCycle, startCycle } from './steps/cycle.ts'
import { judge } from './steps/judge.ts'
import { guardingTask, listen, pause } from './steps/listen.ts'
import { takeNotes } from './steps/notes.ts'
import { finishPeriodic, runPeriodic } from './steps/periodic.ts'
import { measureProgress } from './steps/progress.ts'
import { rollBack } from './steps/rollback.ts'
import { scope } from './steps/scoper.ts'
import { setAside } from './steps/set-aside.ts'
import { trimSession } from './steps/trim.ts'
import { wait } from './steps/wait.ts'
import { work } from './steps/worker.ts'

/** Takes step after step until the run has finished; what each step came to is in the events. */
export const drive = async (context: RunContext): Promise<void> => {
  try {
    while (context.state().finished === undefined) {
      if (isListening(context.progress())) await listen(context)
      if (context.abort.aborted) throw new Aborted()
      await performGuarded(context, nextRunStep(context.progress(), decisionInput(context)))
    }
  } catch (error) {
    if (!(error instanceof Aborted)) throw error
    await perform(context, {
      do: 'finish',
      result: context.state().stopping ?? 'interrupted',
      reason: 'Stopped at once, as asked twice.',
      fix: 'Run `yoke resume` to go on with the iteration that was cut off.',
      ends: 'run',
    })
  }
}

const decisionInput = (context: RunContext) => ({
  time: context.now(),
  jitter: context.random(),
  task: context.task,
  ...(context.others === undefined ? {} : { others: context.others() }),
})

/** In these the worker runs, or what it wrote. */
const guarded: ReadonlySet<Step['do']> = new Set<Step['do']>([
  'run-worker',
  'run-periodic',
  'check',
  'commit',
  'roll-back',
])

const performGuarded = (context: RunContext, step: Step): Promise<void> =>
  guarded.has(step.do) ? guardingTask(context, () => perform(context, step)) : perform(context, step)

const perform = async (context: RunContext, step: Step): Promise<void> => {
  switch (step.do) {
    case 'record':
      context.record(step.event)
      return step.event.type === 'session.stale' ? setAside(context, step.event.session) : undefined
    case 'run-worker':
      return work(context, step.prompt, step.session)
    case 'run-judge':
      return judge(context)
    case 'read-notes':
      return takeNotes(context, step.role ?? 'worker')
    case 'trim':
      return trimSession(context, step)
    case 'check':
      return check(context, step.command)
    case 'wait':
      return wait(context, step.until)
    case 'commit':
      return commit(context)
    case 'roll-back':
      return rollBack(context)
    case 'pause':
      return pause(context)
    case 'measure-progress':
      return measureProgress(context)
    case 'run-periodic':
      return runPeriodic(context, step)
    case 'finish-periodic':
      return finishPeriodic(context, step)
    case 'run-scoper':
      return scope(context, step)
    case 'start-cycle':
      return startCycle(context, step)
    case 'finish-cycle':
      return finishCycle(context, step)
    case 'log-cycle':
      return logCycle(context, step)
    case 'finish':
      return finish(context, step)
  }
}

const finish = (
  { state, record, now }: RunContext,
  { result, reason, fix }: Step & { do: 'finish' },
): void => {
  const { iteration, costUsd, tokens } = state()
  record({
    type: 'run.finished',
    result,
    reason,
    fix,
    exitCode: exitCodeOf(result),
    iterations: iteration,
    costUsd,
    tokens,
    durationMs: runningMs(state(), now()),
  })
}
