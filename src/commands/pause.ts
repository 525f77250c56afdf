import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { loopOfRun } from '../run/git/worktree.ts'
import { pauseRun } from '../run/steer.ts'

export const define: Define = (cli) => {
  cli
    .command('pause [run]', 'Hold the run in this project after its iteration, until `yoke resume`')
    .example('  yoke pause')
    .action(async (run: unknown) => {
      const wanted = run === undefined ? undefined : String(run)
      const { folder } = await pauseRun(await loopOfRun(wanted), wanted)
      process.stdout.write(
        `The run ${folder.id} pauses after its iteration. Change the task meanwhile if you like; \`yoke resume\` goes on.\n`,
      )
      return exitCode.done
    })
}
