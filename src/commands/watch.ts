import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import type { Look } from '../report/live-page.ts'
import { startLiveServer } from '../report/live-server.ts'
import { reportOf } from '../report/report.ts'
import { openNamedRun } from '../run/git/worktree.ts'
import { stateWord } from '../run/open-run.ts'
import { doingNow } from '../ui/doing-now.ts'
import { watchStatus } from './status.ts'

type WatchOptions = { readonly web?: boolean; readonly port?: unknown }

export const define: Define = (cli) => {
  cli
    .command('watch [run]', 'Watch a run while it works: the newest one, or the one with this id')
    .option('--web', 'Serve its report on 127.0.0.1, as it grows, until Ctrl+C')
    .option('--port <n>', 'With --web: the port, instead of any that is free')
    .example('  yoke watch')
    .example('  yoke watch --web')
    .example('  yoke watch --web --port 8123   # from elsewhere: ssh -L 8123:127.0.0.1:8123 HOST')
    .action(async (wanted: string | undefined, { web, port }: WatchOptions) => {
      if (!web && port !== undefined)
        throw new YokeError('E_USAGE', '`--port` needs `--web`.', 'Add `--web`.', exitCode.usage)
      const { folder } = await openNamedRun(wanted)
      if (web) await serve(folder.id, portOf(port))
      else await watchStatus(folder.id, {})
      return exitCode.done
    })
}

const portOf = (given: unknown): number => {
  if (given === undefined) return 0
  const port = Number(given)
  if (Number.isInteger(port) && port >= 1 && port <= 65535) return port
  throw new YokeError(
    'E_USAGE',
    `"${String(given)}" is no port.`,
    'Name a number from 1 to 65535.',
    exitCode.usage,
  )
}

const serve = async (run: string, port: number): Promise<void> => {
  const server = await startLiveServer({ port, look: () => lookAt(run) })
  process.stdout.write(`${server.url}\n`)
  process.stderr.write('Who knows this address can look at the run, and change nothing. Ctrl+C ends it.\n')
  await new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await server.close()
}

const lookAt = async (run: string): Promise<Look> => {
  const stored = await openNamedRun(run)
  const { begin, events, holder } = stored
  const now = holder === undefined ? undefined : doingNow(stored)
  return {
    report: reportOf(begin, events, holder !== undefined),
    now: `${stateWord(stored)}${now === undefined ? '' : ` · ${now}`}`,
  }
}
