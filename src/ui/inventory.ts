import { basename } from 'node:path'
import type { Located, SessionInventory } from '../agents/named-session.ts'
import { formatCount, printable } from './format.ts'

/** A table of what a session is made of. */
export const inventoryText = (found: Located, it: SessionInventory): string => {
  const width = Math.max(12, ...it.rows.map(({ type }) => type.length))
  const row = (type: string, ...cells: readonly string[]) =>
    `${printable(type).padEnd(width)}${cells.map((cell) => cell.padStart(10)).join('')}`
  return [
    placeOf(found),
    `project   ${found.cwds.map(printable).join(', ') || 'not named'}`,
    `written   by ${it.versions.map(printable).join(', ') || 'no release that says so'}`,
    `request   about ${formatCount(it.liveTokens)} tokens of conversation`,
    '',
    row('type', 'records', 'bytes', 'tokens'),
    ...it.rows.map(({ type, records, bytes, tokens }) =>
      row(type, String(records), formatCount(bytes), formatCount(tokens)),
    ),
    row('all', String(it.rows.reduce((sum, { records }) => sum + records, 0)), formatCount(it.bytes)),
    '',
    ...(it.reads.length === 0
      ? ['No file was read.']
      : it.reads.map(({ path, times }) => `read ${times === 1 ? '' : `${times} times `}${printable(path)}`)),
    ...(it.unpaired.length === 0
      ? []
      : [
          `${it.unpaired.length} tool uses or results without the other half: ${it.unpaired.slice(0, 5).map(printable).join(', ')}${it.unpaired.length > 5 ? ', ...' : ''}`,
        ]),
    ...it.damage.map(
      ({ line, kind, outcome }) => `damage in line ${line}: ${kind}; a trim leaves it ${outcome}`,
    ),
  ].join('\n')
}

/** The file of a session, with its id where it is not the file's name. */
export const placeOf = ({ file, id }: Located): string =>
  basename(file).startsWith(id) || file === id ? file : `${printable(id)} in ${file}`
