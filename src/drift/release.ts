import { type Difference, type Drift, driftOf } from './drift.ts'
import { type FormatTerms, standingOf } from './format.ts'
import { compareVersions } from './version.ts'

/** The release that goes on with the session: the installed one where it is known, else the last one that wrote it. */
type Next = { readonly version: string; readonly line: number }

/** How the release that goes on with a session stands to those that a trim was tried with, where this is worth telling. */
const releaseDifference = (
  { version, line }: Next,
  formats: readonly FormatTerms[],
): Difference | undefined => {
  const standing = standingOf(version, formats)
  const about = { kind: 'release', name: `release ${version}`, line, path: 'version', count: 1 } as const
  switch (standing) {
    case 'newer':
      return { ...about, level: 'additive', expected: verifiedRange(formats), found: version }
    case 'older':
      return { ...about, level: 'breaking', expected: verifiedRange(formats), found: version }
    case 'unverified':
      return {
        ...about,
        level: 'breaking',
        expected: 'a release that resumes a trimmed session',
        found: `${version}, which does not: ${faultsOf(version, formats)}`,
      }
    default:
      return undefined
  }
}

/** Adds what is to be said of the release. `firstLine`: where a release wrote its first record. */
export const withRelease = (
  drift: Drift,
  firstLine: (version: string) => number,
  formats: readonly FormatTerms[],
  installed: string | undefined,
): Drift => {
  const version = installed ?? drift.versions.at(-1)
  if (version === undefined) return drift
  const line = drift.versions.includes(version) ? firstLine(version) : 0
  const difference = releaseDifference({ version, line }, formats)
  return difference === undefined ? drift : driftOf(drift.versions, [...drift.differences, difference])
}

const verifiedRange = (formats: readonly FormatTerms[]): string => {
  const verified = formats.flatMap((format) => format.verified).sort(compareVersions)
  return `a release from ${verified[0]} to ${verified.at(-1)}`
}

const faultsOf = (version: string, formats: readonly FormatTerms[]): string =>
  formats
    .flatMap(({ unverified }) => unverified[version] ?? [])
    .map((fault) => fault.replace(/\.$/, ''))
    .join('; ')
