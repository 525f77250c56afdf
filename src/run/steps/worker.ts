import type { RunContext } from '../context.ts'
import { runAgent } from './agent.ts'

/** One turn of the worker, in its session when it has one. */
export const work = async (
  context: RunContext,
  prompt: string,
  session: string | undefined,
): Promise<void> => {
  const { directives, project } = context
  await runAgent(context, {
    role: 'worker',
    prompt,
    cwd: project,
    session: session === undefined ? { kind: 'new' } : { kind: 'resume', id: session },
    access: 'edit',
    permissionMode: directives['permission-mode'],
    allowedTools: directives['allowed-tools'],
    extraArgs: directives['agent-args'],
    ...(directives.model === undefined ? {} : { model: directives.model }),
  })
}
