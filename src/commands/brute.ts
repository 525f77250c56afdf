import type { Define } from '../main.ts'
import { addStartOptions, beginRun, type RunOptions } from './run-options.ts'

export const define: Define = (cli) => {
  const command = cli
    .command('brute <task.md>', 'Work on a task until an independent judge says that it is done')
    .example('  yoke brute task.md')
    .example('  yoke brute task.md --dry-run')
    .example('  yoke brute task.md --checks "npm test" --max-iterations 5 --max-cost-usd 2')
    .example('  yoke brute task.md --resume   # for schedulers: begins it, or goes on with it')
    .example('  yoke brute task.md --json | jq -r .type')
    .example('  yoke brute task.md --worktree')
    .action((file: string, options: RunOptions) => beginRun(options, String(file), 'brute'))
  addStartOptions(command)
}
