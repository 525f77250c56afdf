import type { Invocation, SessionUse } from '../../agents/agent.ts'
import type { Directives } from '../../task/directives.ts'
import type { RunContext } from '../context.ts'
import { runAgent } from './agent.ts'
import { leaveLost } from './leave-lost.ts'

/** One turn of the worker, in its session when it has one that still holds its task. */
export const work = async (
  context: RunContext,
  prompt: string,
  session: string | undefined,
): Promise<void> => {
  if (session !== undefined && (await leaveLost(context, 'worker', session))) return
  const use: SessionUse = session === undefined ? { kind: 'new' } : { kind: 'resume', id: session }
  await runAgent(context, workerInvocation(context.project, context.directives, prompt, use))
}

/** How the worker is started, with what the user's directives say of it. */
export const workerInvocation = (
  cwd: string,
  directives: Directives,
  prompt: string,
  session: SessionUse,
): Invocation => ({
  role: 'worker',
  prompt,
  cwd,
  session,
  access: 'edit',
  permissionMode: directives['permission-mode'],
  allowedTools: directives['allowed-tools'],
  extraArgs: directives['agent-args'],
  ...(directives.model === undefined ? {} : { model: directives.model }),
})
