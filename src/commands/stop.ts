import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { loopOfRun } from '../run/git/worktree.ts'
import { stopRun } from '../run/steer.ts'

export const define: Define = (cli) => {
  cli
    .command('stop [run]', 'End the run in this project after its iteration; twice ends it now')
    .example('  yoke stop')
    .action(async (run: unknown) => {
      const wanted = run === undefined ? undefined : String(run)
      const { pid, run: id } = await stopRun(await loopOfRun(wanted), wanted)
      process.stdout.write(`Asked process ${pid} to stop run ${id} after its iteration.\n`)
      return exitCode.done
    })
}
