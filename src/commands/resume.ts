import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { loopFolder } from '../run/folder.ts'
import { projectOfRun } from '../run/git/worktree.ts'
import { resumeRun } from '../run/start.ts'
import { liftPause } from '../run/steer.ts'
import { directiveFlags } from '../task/options.ts'
import { addRunOptions, carryRun, type RunOptions } from './run-options.ts'

export const define: Define = (cli) => {
  const command = cli
    .command(
      'resume [run]',
      'Go on with a run that was stopped or paused: the newest one, or the one with this id',
    )
    .example('  yoke resume')
    .example('  yoke resume 20261201-0935 --max-iterations 40')
    .action(async (given: string | undefined, options: RunOptions) => {
      const wanted = given === undefined ? undefined : String(given)
      const project = await projectOfRun(process.cwd(), wanted)
      const lifted = await liftPause(loopFolder(project), wanted, Object.keys(directiveFlags(options)))
      if (lifted === undefined) return carryRun(options, (request) => resumeRun(request, wanted), project)
      process.stdout.write(
        `The run ${lifted.folder.id} is not paused any more. It goes on where it was started, with its directives.\n`,
      )
      return exitCode.done
    })
  addRunOptions(command)
}
