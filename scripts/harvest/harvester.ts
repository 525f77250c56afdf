import type { DriftAgent } from '../../src/drift/format.ts'
import type { ReleaseNotes } from '../../src/drift/merge.ts'
import type { Finding } from '../../src/probe/rehearsal-checks.ts'

/** What the harvest has to know of an agent. */
export type Harvester = {
  readonly agent: DriftAgent
  /** The package on npm. */
  readonly package: string
  /** Written last: when it is there, the capture is whole. */
  readonly lastFile: string
  /** Plays the scenarios with a release, and stores all that it wrote under `folder`. */
  readonly capture: (version: string, releases: string, folder: string) => Promise<void>
  /** What a captured release wrote, and how the replay of the trim went. */
  readonly notes: (version: string, folder: string) => Promise<ReleaseNotes>
}

/** A run that the rehearsal had to end, as on a busy machine, says nothing about the release. */
export const throwIfCutOff = (findings: readonly Finding[]): void => {
  const cutOff = findings.find(({ found }) => found.includes('(exit by signal)'))
  if (cutOff !== undefined) throw new Error(`${cutOff.found} This says nothing about the release.`)
}
