import { exitCode } from '../errors.ts'
import { type BundledPackage, bundledPackages } from '../licenses.ts'
import type { Define } from '../main.ts'
import { runtimePackage } from '../runtime-package.ts'

export const define: Define = (cli) => {
  cli
    .command('licenses', 'Print the licences of the packages that are a part of yoke')
    .option('--json', 'Print them as JSON')
    .example('  yoke licenses')
    .example("  yoke licenses --json | jq -r '.[].license' | sort | uniq -c")
    .action(({ json }: { json?: boolean }) => {
      const packages = bundledPackages()
      if (json) process.stdout.write(`${JSON.stringify([...packages, ...runtime()])}\n`)
      else process.stdout.write([...packages, ...runtime()].map(section).join('\n'))
      return exitCode.done
    })
}

/** Where yoke runs on Node or Deno, it carries no runtime along. */
const runtime = (): readonly BundledPackage[] => {
  const version = process.versions['bun']
  return version === undefined ? [] : [runtimePackage(version)]
}

const section = ({ name, version, license, text }: BundledPackage): string =>
  `${name} ${version} (${license})\n\n${text.replace(/^/gm, '  ')}\n`
