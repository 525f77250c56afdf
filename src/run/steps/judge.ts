import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { Invocation, Outcome } from '../../agents/agent.ts'
import { type Verdict, VerdictSchema } from '../../events.ts'
import { judgePrompt } from '../../loop/prompts.ts'
import { isOrdinary } from '../../loop/recovery.ts'
import { taskOf } from '../../loop/run.ts'
import { verdictFromText } from '../../loop/verdict.ts'
import { modelOf } from '../../task/roles.ts'
import type { RunContext, RunSettings } from '../context.ts'
import { iterationFolder } from '../folder.ts'
import { instructionsOf } from '../instructions.ts'
import { runAgent } from './agent.ts'

/** Asks the judge, in a fresh session that is not kept (§2.1), and records its verdict or that there is no readable one. */
export const judge = async (context: RunContext): Promise<void> => {
  const { state, record, run } = context
  const outcome = await runAgent(
    context,
    judgeInvocation(context, taskOf(context.progress(), context.task)),
    {
      onStarted: context.fingerprint.begin,
    },
  )
  if (state().phase.at === 'recover') return
  const { iteration, unreadable } = state()
  const verdict = isOrdinary(outcome.class) ? readVerdict(outcome) : undefined
  if (verdict === undefined)
    return record({
      type: 'judge.unreadable',
      iteration,
      attempt: unreadable + 1,
      text: outcome.evidence || outcome.text.slice(-500),
    })
  writeFileSync(
    join(iterationFolder(run, iteration), 'verdict.json'),
    `${JSON.stringify(verdict, undefined, 2)}\n`,
  )
  record({ type: 'judge.verdict', iteration, ...verdict })
}

/** How the judge is started: in a fresh session that is not kept, reading only. */
export const judgeInvocation = (
  settings: Pick<RunSettings, 'project' | 'directives' | 'judgeWords' | 'instructions'>,
  task: string,
): Invocation => {
  const { directives, project, judgeWords } = settings
  const model = modelOf(directives, 'judge')
  return {
    role: 'judge',
    prompt: judgePrompt(task, judgeWords, instructionsOf(settings)),
    cwd: project,
    session: { kind: 'ephemeral' },
    access: 'read-only',
    answer: { ...toJsonSchema(VerdictSchema) },
    ...(model === undefined ? {} : { model }),
  }
}

const readVerdict = ({ answer, text }: Outcome): Verdict | undefined => {
  const structured = v.safeParse(VerdictSchema, answer)
  return structured.success ? structured.output : verdictFromText(text)
}
