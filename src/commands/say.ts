import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { loopOfRun } from '../run/git/worktree.ts'
import type { StoredRun } from '../run/open-run.ts'
import { say, takeTaskOver } from '../run/steer.ts'

export const define: Define = (cli) => {
  cli
    .command('say [run] [text]', "Put a line into the worker's next prompt, in the newest run or this one")
    .option('--task', 'Take over the task file as it is now, also if an agent may have changed it')
    .example('  yoke say "Leave the database alone."')
    .example('  yoke say 20261201-0935 "Use the new client, not the old one."')
    .example('  yoke say --task')
    .action(async (first: unknown, second: unknown, { task }: { task?: boolean }) => {
      const [run, text] = second === undefined && !task ? [undefined, first] : [first, second]
      if (task && text !== undefined)
        throw new YokeError(
          'E_USAGE',
          '`--task` says nothing but the task file.',
          'Say the line by a command of its own.',
          exitCode.usage,
        )
      const wanted = run === undefined ? undefined : String(run)
      const loop = await loopOfRun(wanted)
      const stored = task
        ? await takeTaskOver(loop, wanted)
        : await say(loop, wanted, text === undefined ? '' : String(text))
      process.stdout.write(`${when(stored, task ? 'takes the task over' : 'hears it')}\n`)
      return exitCode.done
    })
}

const when = ({ folder, holder }: StoredRun, what: string): string =>
  holder === undefined
    ? `The run ${folder.id} is stopped: it ${what} when \`yoke resume\` goes on with it.`
    : `The run ${folder.id} ${what} before its next iteration.`
