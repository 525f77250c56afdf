import type { Located } from '../agents/claude/locate.ts'
import type { Inventory } from '../transcript/inventory.ts'
import { formatCount, printable } from './format.ts'

/** A table of what a session is made of. */
export const inventoryText = ({ file, cwds }: Located, it: Inventory): string => {
  const width = Math.max(12, ...it.rows.map(({ type }) => type.length))
  const row = (type: string, ...cells: readonly string[]) =>
    `${printable(type).padEnd(width)}${cells.map((cell) => cell.padStart(10)).join('')}`
  return [
    file,
    `project   ${cwds.map(printable).join(', ') || 'not named'}`,
    `written   by ${it.versions.map(printable).join(', ') || 'no release that says so'}`,
    `request   about ${formatCount(it.liveTokens)} tokens of conversation`,
    '',
    row('type', 'records', 'bytes', 'tokens'),
    ...it.rows.map(({ type, records, bytes, tokens }) =>
      row(type, String(records), formatCount(bytes), formatCount(tokens)),
    ),
    row('all', String(it.lines), formatCount(it.bytes)),
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
