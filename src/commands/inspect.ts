import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { printableJson } from '../ui/format.ts'
import { inventoryText } from '../ui/inventory.ts'
import { openSession } from './open-session.ts'

export const define: Define = (cli) => {
  cli
    .command('inspect <session>', 'Show what a session is made of; a file or an id')
    .option('--json', 'Print it as JSON')
    .example('  yoke inspect 1c6e3f7a')
    .example('  yoke inspect ses_dcfd36a7')
    .example('  yoke inspect 1c6e3f7a --json | jq .liveTokens')
    .action(async (named: string, { json }: { json?: boolean }) => {
      const { found, inventory } = await openSession(named)
      const made = await inventory()
      process.stdout.write(`${json ? printableJson({ ...found, ...made }) : inventoryText(found, made)}\n`)
      return exitCode.done
    })
}
