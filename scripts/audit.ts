// Fails when a package that is a part of yoke, or that builds it, has a known vulnerability: `npx bun scripts/audit.ts`.
// A registry that serves no audits (mirrors often do not) is said and is no failure.
import { $ } from 'zx'

const { stdout } = await $({ quiet: true, nothrow: true })`npm audit --json`
const report = JSON.parse(stdout)
if (report.vulnerabilities === undefined) {
  console.log(
    `not audited: the registry answers ${report.statusCode ?? report.message ?? 'nothing that is known'}`,
  )
} else {
  const found: readonly [string, { readonly severity: string; readonly range: string }][] = Object.entries(
    report.vulnerabilities,
  )
  for (const [name, { severity, range }] of found) console.log(`${severity}: ${name} ${range}`)
  console.log(`${found.length} vulnerable packages`)
  process.exitCode = found.length === 0 ? 0 : 1
}
