import { widthOf } from './width.ts'

/** What is on the terminal below the lines that scroll. */
export type Painted = readonly string[]

const up = (rows: number): string => (rows === 0 ? '' : `\u001b[${rows}A`)
const clearLine = '\u001b[K'
const clearBelow = '\u001b[J'
/** A terminal that knows synchronised output (mode 2026) shows nothing half; the others pass it over. */
const hold = '\u001b[?2026h'
const release = '\u001b[?2026l'

/** The rows of a block that was painted at another width: terminals reflow what no longer fits. */
const rowsOf = (painted: Painted, columns: number): number =>
  painted.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, columns))), 0)

/**
 * One write that prints `lines` for good and puts `block` in the place of what was `painted`. The cursor rests at the end of the
 * block. A block that only changes is written over, so that a terminal without mode 2026 does not flicker either.
 */
export const paint = (
  painted: Painted,
  lines: readonly string[],
  block: readonly string[],
  columns: number,
): string => {
  const home = `\r${up(Math.max(0, rowsOf(painted, columns) - 1))}`
  const printed = lines.length === 0 ? '' : clearBelow + lines.map((line) => `${line}\r\n`).join('')
  const body = block.map((line) => line + clearLine).join('\r\n')
  return hold + home + printed + body + clearBelow + release
}
