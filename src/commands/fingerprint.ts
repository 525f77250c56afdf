import { exitCode } from '../errors.ts'
import type { Define } from '../main.ts'
import { fingerprintText } from '../ui/fingerprint.ts'
import { printableJson } from '../ui/format.ts'
import { openSession } from './open-session.ts'

type Options = { readonly strict?: boolean; readonly json?: boolean }

export const define: Define = (cli) => {
  cli
    .command(
      'fingerprint <session>',
      'Show how the format of a session compares with the formats that yoke knows; a file or an id. Exits with 1 when it breaks what a trim stands on',
    )
    .option('--strict', 'Take everything unknown for breaking, as with `drift: strict`')
    .option('--json', 'Print it as JSON')
    .example('  yoke fingerprint 1c6e3f7a')
    .example('  yoke fingerprint ses_dcfd36a7')
    .example('  yoke fingerprint 1c6e3f7a --json | jq -r .verdict')
    .action(async (named: string, { strict = false, json = false }: Options) => {
      const { found, fingerprint } = await openSession(named)
      const { file, id } = found
      const compared = await fingerprint(strict)
      process.stdout.write(
        `${json ? printableJson({ file, id, ...compared }) : fingerprintText(found, compared)}\n`,
      )
      return compared.verdict === 'breaking' ? exitCode.failed : exitCode.done
    })
}
