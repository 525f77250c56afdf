import { type Drift, driftOf, strictly } from '../drift.ts'
import { fingerprint } from '../fingerprint.ts'
import { type FormatTerms, knownShapes, standingOf } from '../format.ts'
import { isJson } from '../parts.ts'
import { withRelease } from '../release.ts'
import type { SessionFingerprint } from '../session-fingerprint.ts'
import { signature } from '../signature.ts'
import { isKnownPart } from './dispositions.ts'
import { loadBearingOf } from './load-bearing.ts'
import { eachPart, recordsOf } from './parts.ts'

/**
 * What in an exported session differs from all formats. An unknown part of the first prompt, which stays whole, breaks a trim; one
 * of an answer goes. `installed` is the release that goes on with it. `line` counts the session itself as 1 and its messages from 2.
 */
export const sessionDrift = (
  exported: unknown,
  formats: readonly FormatTerms[],
  { strict, installed }: { readonly strict: boolean; readonly installed?: string | undefined },
): Drift => {
  const records = recordsOf(exported)
  const seen = fingerprint({
    known: knownShapes(formats),
    isKnownPart,
    thorough: true,
    records: { eachPart, loadBearingOf },
  })
  for (const [index, record] of records.entries()) seen.parsed(record, index + 1)
  const prompt = records.findIndex(({ message }) => isPrompt(message)) + 1
  const found = seen.finish((line) => line === prompt)
  const drift = withOlder(withRelease(found, seen.firstLine, formats, installed), formats)
  return strict ? strictly(drift) : drift
}

/** An older release than all that were tried breaks nothing: it stores the trimmed session itself, and what it stored is read back. */
const withOlder = ({ versions, differences }: Drift, formats: readonly FormatTerms[]): Drift =>
  driftOf(
    versions,
    differences.map((each) =>
      each.kind === 'release' && standingOf(each.name.slice('release '.length), formats) === 'older'
        ? { ...each, level: 'additive' }
        : each,
    ),
  )

/** The same, with what the session holds in a word. */
export const sessionFingerprint = (...terms: Parameters<typeof sessionDrift>): SessionFingerprint => {
  const held = signature(eachPart)
  for (const record of recordsOf(terms[0])) held.add(record)
  return { fingerprint: held.digest(), ...sessionDrift(...terms) }
}

const isPrompt = (message: unknown): boolean =>
  isJson(message) && isJson(message['info']) && message['info']['role'] === 'user'
