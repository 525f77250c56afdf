import type { SessionTrimmed } from '../agents/agent.ts'
import { leftText } from '../agents/named-session.ts'
import type { TrimReport } from '../transcript/report.ts'
import { formatCount, printable } from './format.ts'

/** What a trim did, or would do, for people: request tokens first, since bytes are not what is paid for. */
export const trimReportText = (
  { status, report, newSession, left = [] }: Exclude<SessionTrimmed, { status: 'refused' }>,
  goOnCommand: (id: string) => string,
): string => {
  const { records, tokens, bytes, paths, dropped, unmatched, damage, unknown } = report
  const verb = { applied: 'was trimmed', planned: 'would be trimmed', unchanged: 'is as short as it can be' }[
    status
  ]
  const lines = [
    `The session ${verb}: about ${formatCount(tokens.before)} → ${formatCount(tokens.after)} tokens a request (${formatCount(bytes.before)} → ${formatCount(bytes.after)} bytes${newSession === undefined ? ' on disk' : ''}).`,
    ...paths.map(
      (path) =>
        `  kept     ${printable(path.path)}${ranges(path.ranges)}, ${formatCount(path.tokens)} tokens${path.state === 'refreshed' ? ', as the file is now' : ''}`,
    ),
    ...dropped.map(({ path, reason }) => `  dropped  ${printable(path)}: ${reason}`),
    ...unmatched.map((entry) => `  unread   ${printable(entry)}: nothing that was read fits it`),
    ...damage.map(({ line, kind, outcome }) => `  damage   line ${line}: ${kind}, ${outcome}`),
    ...unknown.map(
      ({ name, count }) =>
        `  unknown  ${printable(name)}: ${count} ${count === 1 ? 'record' : 'records'}, ${Object.hasOwn(records.kept, name) ? 'kept' : 'dropped'}`,
    ),
    ...(newSession === undefined
      ? []
      : [`It goes on under a new id, and the old one stays: ${goOnCommand(newSession)}`]),
    ...left.map((id) => leftText(id, goOnCommand)),
  ]
  return lines.join('\n')
}

const ranges = (all: TrimReport['paths'][number]['ranges']): string =>
  all.length === 1 && all[0]?.offset === 1 && all[0].limit === undefined
    ? ''
    : ` (${all.map(({ offset, limit }) => (limit === undefined ? `from line ${offset}` : `lines ${offset} to ${offset + limit - 1}`)).join(', ')})`
