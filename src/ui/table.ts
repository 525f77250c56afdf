import type { Colors } from 'picocolors/types'
import { widthOf } from './width.ts'

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => string
  /** Numbers stand on the right. */
  readonly right?: boolean
}

/** Rows under titles, each column as wide as its widest cell; a column without a value in any row is left out. */
export const table = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { dim }: Colors,
): string => {
  const filled = columns
    .map((column) => ({ column, cells: rows.map(column.cell) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const sized = filled.map(({ column, cells }) => ({
    ...column,
    cells,
    width: Math.max(widthOf(column.title), ...cells.map(widthOf)),
  }))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => {
        const { width = 0, right } = sized[index] ?? {}
        const gap = ' '.repeat(Math.max(0, width - widthOf(text)))
        return right ? gap + text : text + gap
      })
      .join('  ')
      .trimEnd()
  return [
    dim(line(sized.map(({ title }) => title))),
    ...rows.map((_, row) => line(sized.map(({ cells }) => cells[row] ?? ''))),
  ].join('\n')
}
