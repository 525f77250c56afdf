import { locateSession } from '../agents/claude/locate.ts'
import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { takeInventory } from '../transcript/inventory.ts'
import { printableJson } from '../ui/format.ts'
import { inventoryText } from '../ui/inventory.ts'

export const define: Define = (cli) => {
  cli
    .command('inspect <session>', 'Show what a session of Claude Code is made of; a file or an id')
    .option('--json', 'Print it as JSON')
    .example('  yoke inspect 1c6e3f7a')
    .example('  yoke inspect 1c6e3f7a --json | jq .liveTokens')
    .action(async (session: string, { json }: { json?: boolean }) => {
      const cwd = process.cwd()
      const found = await locateSession(String(session), cwd, process.env)
      for (const remark of found.remarks) process.stderr.write(`yoke: ${remark}\n`)
      const inventory = await takeInventory(found.file, found.cwds[0] ?? cwd)
      process.stdout.write(
        `${json ? printableJson({ ...found, ...inventory }) : inventoryText(found, inventory)}\n`,
      )
      return exitCode.done
    })
}
