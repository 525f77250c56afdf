import type { Define } from '../main.ts'
import { addStartOptions, beginFleet, beginRun, type RunOptions } from './run-options.ts'

export const define: Define = (cli) => {
  const command = cli
    .command('brute <task.md> [...more]', 'Work on a task until an independent judge says that it is done')
    .example('  yoke brute task.md')
    .example('  yoke brute task.md --dry-run')
    .example('  yoke brute task.md --checks "npm test" --max-iterations 5 --max-cost-usd 2')
    .example('  yoke brute task.md --resume   # for schedulers: begins it, or goes on with it')
    .example('  yoke brute task.md --json | jq -r .type')
    .example('  yoke brute task.md --worktree')
    .example('  yoke brute a.md b.md c.md --parallel 2 --max-cost-usd 20')
    .option(
      '--parallel <n>',
      'With several tasks, each in a worktree of its own: how many at once (default: 2)',
    )
    .action((file: string, more: readonly string[], options: RunOptions) =>
      more.length === 0
        ? beginRun(options, String(file), 'brute')
        : beginFleet(options, [file, ...more].map(String)),
    )
  addStartOptions(command)
}
