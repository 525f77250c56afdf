import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { Outcome } from '../../agents/agent.ts'
import { type Plan, PlanSchema } from '../../events.ts'
import { jsonFromText } from '../../loop/plan.ts'
import { isOrdinary } from '../../loop/recovery.ts'
import { condensedLog } from '../../loop/saga-log.ts'
import { scoperPrompt } from '../../loop/scoper-prompt.ts'
import { sessionOf } from '../../loop/session.ts'
import type { Step } from '../../loop/state.ts'
import type { RunContext } from '../context.ts'
import { cycleFolder } from '../folder.ts'
import { instructionsOf } from '../instructions.ts'
import { runAgent } from './agent.ts'

/** Asks the scoper, in a fresh session that is not kept (§2.1), and records its plan or that there is no readable one. */
export const scope = async (context: RunContext, { cycle }: Step & { do: 'run-scoper' }): Promise<void> => {
  const { directives, record, project, run, loop, task, state, progress } = context
  const model = directives['scoper-model'] ?? directives.model
  const instructions = instructionsOf(context)
  const folder = cycleFolder(run, cycle)
  const outcome = await runAgent(
    context,
    {
      role: 'scoper',
      prompt: scoperPrompt({
        goal: task,
        log: condensedLog(await readLog(loop.sagaLog)),
        cycle,
        maxCycles: directives['max-cycles'],
        maxIterations: directives['max-iterations'],
        hasSession: sessionOf(state(), 'worker').id !== undefined,
        ...(instructions === undefined ? {} : { instructions }),
      }),
      cwd: project,
      session: { kind: 'ephemeral' },
      access: 'read-only',
      answer: { ...toJsonSchema(PlanSchema, { typeMode: 'input' }) },
      ...(model === undefined ? {} : { model }),
    },
    folder,
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

/** The plan in the scoper's answer (§4.3). One without a text is none. */
export const readPlan = ({ answer, text }: Pick<Outcome, 'answer' | 'text'>): Plan | undefined => {
  const structured = v.safeParse(PlanSchema, answer)
  const { success, output } = structured.success ? structured : v.safeParse(PlanSchema, jsonFromText(text))
  return success && (output.status !== 'plan' || output.plan.trim() !== '') ? output : undefined
}

const readLog = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
