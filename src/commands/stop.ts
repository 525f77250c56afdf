import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { loopFolder } from '../run/folder.ts'
import { isAlive, readHolder } from '../run/lock.ts'

export const define: Define = (cli) => {
  cli
    .command('stop', 'End the run in this project after its iteration; twice ends it now')
    .example('  yoke stop')
    .action(async () => {
      const holder = await readHolder(loopFolder(process.cwd()).lock)
      if (holder === undefined || !isAlive(holder))
        throw new YokeError(
          'E_NOT_RUNNING',
          'No yoke runs in this project.',
          'Look at past runs with `yoke status`.',
        )
      process.kill(holder.pid, 'SIGTERM')
      process.stdout.write(`Asked process ${holder.pid} to stop run ${holder.run} after its iteration.\n`)
      return exitCode.done
    })
}
