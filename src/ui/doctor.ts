import type { Colors } from 'picocolors/types'
import type { Row, Status } from '../doctor/check.ts'
import { printable } from './format.ts'

/** The doctor's rows for people, and in the last line what they come to. */
export const doctorText = (rows: readonly Row[], { green, yellow, red, dim, bold }: Colors): string => {
  const paint: Readonly<Record<Status, (text: string) => string>> = {
    ok: green,
    warn: yellow,
    fail: red,
    skip: dim,
  }
  const width = Math.max(...rows.map(({ id }) => id.length))
  const lines = rows.flatMap(({ id, status, found, fix }) => [
    `${paint[status](status.padEnd(4))}  ${id.padEnd(width)}  ${found}`,
    ...(fix === '' ? [] : [`${' '.repeat(width + 8)}${bold(fix)}`]),
  ])
  const count = (status: Status) => rows.filter((row) => row.status === status).length
  const [failed, warned] = [count('fail'), count('warn')]
  const end =
    failed > 0
      ? red(`${failed} failed, ${warned} to look at.`)
      : warned > 0
        ? yellow(`Nothing failed, ${warned} to look at.`)
        : green('All is well.')
  return printable([...lines, '', end].join('\n'))
}
