import type { Define } from '../main.ts'
import { resumeRun } from '../run/start.ts'
import { addRunOptions, carryRun, type RunOptions } from './run-options.ts'

export const define: Define = (cli) => {
  const command = cli
    .command('resume [run]', 'Go on with a run that was stopped: the newest one, or the one with this id')
    .example('  yoke resume')
    .example('  yoke resume 20261201-0935 --max-iterations 40')
    .action((run: string | undefined, options: RunOptions) =>
      carryRun(options, (request) => resumeRun(request, run === undefined ? undefined : String(run))),
    )
  addRunOptions(command)
}
