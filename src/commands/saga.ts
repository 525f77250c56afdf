import type { Define } from '../main.ts'
import { addStartOptions, beginRun, type RunOptions } from './run-options.ts'

export const define: Define = (cli) => {
  const command = cli
    .command('saga <goal.md>', 'Work on a goal, planned cycle by cycle, until the scoper finds it reached')
    .example('  yoke saga goal.md')
    .example('  yoke saga goal.md --max-cycles 5 --max-iterations 8 --max-cost-usd 20')
    .example('  yoke saga goal.md --worktree big-change')
    .action((file: string, options: RunOptions) => beginRun(options, String(file), 'saga'))
  addStartOptions(command)
}
