import { driftAgents, newestVerified } from './drift/format.ts'
import { shippedFormats } from './drift/known-formats.ts'
import { type Build, build, name, version } from './version.ts'

/** What `yoke --version --json` prints, one object. */
export type VersionReport = {
  readonly name: string
  readonly version: string
  /** Null when yoke runs from its sources. */
  readonly build: Build | null
  /** `bun 1.4.5` in the binary. */
  readonly runtime: string
  /** The newest release of each agent whose sessions a trim was verified on. */
  readonly verified: Readonly<Record<string, string | null>>
}

export const versionReport = async (): Promise<VersionReport> => ({
  name,
  version,
  build: build ?? null,
  runtime: runtimeOf(process.versions),
  verified: Object.fromEntries(
    await Promise.all(
      driftAgents.map(async (agent) => [agent, newestVerified(await shippedFormats(agent)) ?? null] as const),
    ),
  ),
})

/** Bun and Deno name a version of Node too. */
const runtimeOf = (versions: Readonly<Record<string, string | undefined>>): string => {
  const runtime = ['bun', 'deno', 'node'].find((each) => versions[each] !== undefined) ?? 'node'
  return `${runtime} ${versions[runtime]}`
}
