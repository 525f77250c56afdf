import type { Step } from '../../loop/state.ts'
import type { RunContext } from '../context.ts'
import { readNotes } from '../folder.ts'
import { progressFingerprint } from '../progress.ts'
import { runAgent } from './agent.ts'
import { leaveLost } from './leave-lost.ts'

/** One turn of a periodic, never in the worker's session (§3.8). */
export const runPeriodic = async (
  context: RunContext,
  { name, prompt, session }: Step & { do: 'run-periodic' },
): Promise<void> => {
  const { directives, project } = context
  const role = `periodic:${name}` as const
  if (session.kind === 'resume' && (await leaveLost(context, role, session.id))) return
  await runAgent(context, {
    role,
    prompt,
    cwd: project,
    session,
    access: 'edit',
    permissionMode: directives['permission-mode'],
    allowedTools: directives['allowed-tools'],
    extraArgs: directives['agent-args'],
    ...(directives.model === undefined ? {} : { model: directives.model }),
  })
}

/** Ends a periodic with a fingerprint of what it left behind: its changes are no progress of the worker's. */
export const finishPeriodic = async (
  { project, loop, record, state }: RunContext,
  { name, problem }: Step & { do: 'finish-periodic' },
): Promise<void> => {
  const progress = await progressFingerprint(project, readNotes(loop.notes))
  record({ type: 'periodic.finished', iteration: state().iteration, name, problem, progress })
}
