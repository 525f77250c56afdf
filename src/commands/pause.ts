import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { loopFolder } from '../run/folder.ts'
import { pauseRun } from '../run/steer.ts'

export const define: Define = (cli) => {
  cli
    .command('pause [run]', 'Hold the run in this project after its iteration, until `yoke resume`')
    .example('  yoke pause')
    .action(async (run: unknown) => {
      const { folder } = await pauseRun(
        loopFolder(process.cwd()),
        run === undefined ? undefined : String(run),
      )
      process.stdout.write(
        `The run ${folder.id} pauses after its iteration. Change the task meanwhile if you like; \`yoke resume\` goes on.\n`,
      )
      return exitCode.done
    })
}
