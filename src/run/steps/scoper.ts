import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { Invocation, Outcome } from '../../agents/agent.ts'
import { type Plan, PlanSchema } from '../../events.ts'
import { jsonFromText } from '../../loop/plan.ts'
import { isOrdinary } from '../../loop/recovery.ts'
import { goalOf } from '../../loop/run.ts'
import { condensedLog } from '../../loop/saga-log.ts'
import { type ScoperBrief, scoperPrompt } from '../../loop/scoper-prompt.ts'
import { sessionOf } from '../../loop/session.ts'
import type { Step } from '../../loop/state.ts'
import { readIfThere } from '../../system/read-if-there.ts'
import { modelOf } from '../../task/roles.ts'
import type { RunContext, RunSettings } from '../context.ts'
import { cycleFolder } from '../folder.ts'
import { instructionsOf } from '../instructions.ts'
import { runAgent } from './agent.ts'

/** Asks the scoper, in a fresh session that is not kept (§2.1), and records its plan or that there is no readable one. */
export const scope = async (context: RunContext, { cycle }: Step & { do: 'run-scoper' }): Promise<void> => {
  const { record, run, loop, state, progress, task } = context
  const folder = cycleFolder(run, cycle)
  const outcome = await runAgent(
    context,
    scoperInvocation(
      { ...context, task: goalOf(progress(), task) },
      {
        said: state().said,
        log: condensedLog(readIfThere(loop.sagaLog)?.toString('utf8') ?? ''),
        cycle,
        hasSession: sessionOf(state(), 'worker').id !== undefined,
      },
    ),
    { folder },
  )
  const { saga } = progress()
  if (saga?.phase.at === 'recover') return
  const plan = isOrdinary(outcome.class) ? readPlan(outcome) : undefined
  if (plan === undefined)
    return record({
      type: 'scoper.unreadable',
      cycle,
      attempt: (saga?.unreadable ?? 0) + 1,
      text: outcome.evidence || outcome.text.slice(-500),
    })
  await writeFile(join(folder, 'plan.json'), `${JSON.stringify(plan, undefined, 2)}\n`)
  record({ type: 'cycle.planned', cycle, ...plan })
}

/** How the scoper is started: in a fresh session that is not kept, reading only. */
export const scoperInvocation = (
  settings: Pick<RunSettings, 'project' | 'directives' | 'task' | 'instructions'>,
  brief: Pick<ScoperBrief, 'log' | 'cycle' | 'hasSession' | 'said'>,
): Invocation => {
  const { directives, project, task } = settings
  const model = modelOf(directives, 'scoper')
  const instructions = instructionsOf(settings)
  return {
    role: 'scoper',
    prompt: scoperPrompt({
      ...brief,
      goal: task,
      maxCycles: directives['max-cycles'],
      maxIterations: directives['max-iterations'],
      ...(instructions === undefined ? {} : { instructions }),
    }),
    cwd: project,
    session: { kind: 'ephemeral' },
    access: 'read-only',
    answer: { ...toJsonSchema(PlanSchema, { typeMode: 'input' }) },
    ...(model === undefined ? {} : { model }),
  }
}

/** The plan in the scoper's answer (§4.3). One without a text is none. */
export const readPlan = ({ answer, text }: Pick<Outcome, 'answer' | 'text'>): Plan | undefined => {
  const structured = v.safeParse(PlanSchema, answer)
  const { success, output } = structured.success ? structured : v.safeParse(PlanSchema, jsonFromText(text))
  return success && (output.status !== 'plan' || output.plan.trim() !== '') ? output : undefined
}
