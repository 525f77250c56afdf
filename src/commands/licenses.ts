import { exitCode } from '../errors.ts'
import { bundledPackages } from '../licenses.ts'
import type { Define } from '../main.ts'

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

/** The binary carries the runtime along (bun.com/docs/project/licensing). */
const runtime = () => {
  const version = process.versions['bun']
  return version === undefined
    ? []
    : [
        {
          name: 'bun',
          version,
          license: 'MIT',
          text: 'The runtime. It links JavaScriptCore of WebKit (LGPL-2.0-or-later) and other libraries: https://bun.com/docs/project/licensing',
        },
      ]
}

const section = ({ name, version, license, text }: ReturnType<typeof runtime>[number]): string =>
  `${name} ${version} (${license})\n\n${text.replace(/^/gm, '  ')}\n`
