import { Aborted, type RunContext } from '../context.ts'
import { runShell } from '../shell.ts'

/** Runs one check of the task; the worker is told the end of its output when it fails (§3.3). */
export const check = async (context: RunContext, command: string): Promise<void> => {
  const { record, state, now, project, env, abort, directives, place } = context
  const { iteration } = state()
  const began = now()
  const { exit, output } = await runShell(command, {
    cwd: project,
    env,
    signal: abort,
    timeoutMs: directives['iteration-timeout'],
    ...(place === undefined || directives['checks-in'] === 'host' ? {} : { place }),
  })
  if (abort.aborted) throw new Aborted()
  const durationMs = now() - began
  if (exit === 0) record({ type: 'check.passed', iteration, command, durationMs })
  else record({ type: 'check.failed', iteration, command, exit, output, durationMs })
}
