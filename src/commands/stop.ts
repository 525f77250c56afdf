import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { loopFolder } from '../run/folder.ts'
import { stopRun } from '../run/steer.ts'

export const define: Define = (cli) => {
  cli
    .command('stop [run]', 'End the run in this project after its iteration; twice ends it now')
    .example('  yoke stop')
    .action(async (run: unknown) => {
      const { pid, run: id } = await stopRun(
        loopFolder(process.cwd()),
        run === undefined ? undefined : String(run),
      )
      process.stdout.write(`Asked process ${pid} to stop run ${id} after its iteration.\n`)
      return exitCode.done
    })
}
