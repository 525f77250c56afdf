import { locateSession } from '../agents/claude/locate.ts'
import { knownFormats } from '../drift/known-formats.ts'
import { fingerprintSession } from '../drift/session-fingerprint.ts'
import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { fingerprintText } from '../ui/fingerprint.ts'
import { printableJson } from '../ui/format.ts'

type Options = { readonly strict?: boolean; readonly json?: boolean }

export const define: Define = (cli) => {
  cli
    .command(
      'fingerprint <session>',
      'Show how the format of a session of Claude Code compares with the formats that yoke knows; a file or an id. Exits with 1 when it breaks what a trim stands on',
    )
    .option('--strict', 'Take everything unknown for breaking, as with `drift: strict`')
    .option('--json', 'Print it as JSON')
    .example('  yoke fingerprint 1c6e3f7a')
    .example('  yoke fingerprint 1c6e3f7a --json | jq -r .verdict')
    .action(async (session: string, { strict = false, json = false }: Options) => {
      const cwd = process.cwd()
      const { file, id, cwds, remarks } = await locateSession(String(session), cwd, process.env)
      for (const remark of remarks) process.stderr.write(`yoke: ${remark}\n`)
      const formats = await knownFormats('claude', process.env)
      const found = await fingerprintSession(file, cwds[0] ?? cwd, { formats, strict })
      process.stdout.write(`${json ? printableJson({ file, id, ...found }) : fingerprintText(file, found)}\n`)
      return found.verdict === 'breaking' ? exitCode.failed : exitCode.done
    })
}
