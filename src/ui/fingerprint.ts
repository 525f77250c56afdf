import type { Located } from '../agents/named-session.ts'
import { describeDifference } from '../drift/drift.ts'
import type { SessionFingerprint } from '../drift/session-fingerprint.ts'
import { formatMany, oneLine, printable } from './format.ts'
import { placeOf } from './inventory.ts'

const verdicts: Readonly<Record<SessionFingerprint['verdict'], string>> = {
  known: 'known: yoke knows everything in it.',
  additive: 'additive: it holds what yoke does not know, which does a trim no harm.',
  breaking: 'breaking: what a trim stands on is not as it should be. yoke does not trim it.',
}

/** What was found, for people. */
export const fingerprintText = (
  found: Located,
  { fingerprint, versions, verdict, differences }: SessionFingerprint,
): string =>
  [
    placeOf(found),
    `fingerprint  ${fingerprint}`,
    `written by   ${versions.map(printable).join(', ') || 'no release that says so'}`,
    `verdict      ${verdicts[verdict]}`,
    ...(differences.length === 0 ? [] : ['']),
    ...differences.map(
      (difference) =>
        `${difference.level.padEnd(11)}  ${oneLine(describeDifference(difference), 160)}${difference.count > 1 ? ` (${formatMany(difference.count, 'time')})` : ''}`,
    ),
  ].join('\n')
