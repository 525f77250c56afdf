import type { RunEvent } from '../events.ts'
import { runShell } from './shell.ts'

/** Hands the last event of a run to the user's `on-finish` command; a sentence when it failed. */
export const runOnFinish = async (
  command: string,
  end: RunEvent & { type: 'run.finished' },
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> => {
  const { exit, output } = await runShell(command, {
    cwd,
    env,
    stdin: `${JSON.stringify(end)}\n`,
    timeoutMs: 60_000,
  })
  return exit === 0 ? undefined : `on-finish ended with exit code ${exit ?? 'none'}: ${output.slice(-500)}`
}
