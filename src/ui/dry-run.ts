import type { Colors } from 'picocolors/types'
import type { DryRun } from '../run/dry-run.ts'
import { asInput, type DirectiveKey } from '../task/directives.ts'
import { printable } from './format.ts'

/** What a run would do, for people: every directive with where it comes from, then each start with its prompt. */
export const dryRunText = ({ task, directives, origin, starts }: DryRun, { bold, dim }: Colors): string => {
  const values = Object.entries(asInput(directives)) as [DirectiveKey, unknown][]
  const width = Math.max(...values.map(([key]) => key.length))
  const where = directives.image === undefined ? '' : ` in a container of ${directives.image}`
  return printable(
    [
      `${bold('task')} ${task}`,
      '',
      ...values.map(([key, value]) => `${key.padEnd(width)}  ${shown(value)}  ${dim(`(${origin[key]})`)}`),
      ...starts.flatMap(({ role, command, prompt }) => [
        '',
        `${bold(role)} would be started${where}:`,
        '',
        `  ${command.map(quoted).join(' ')}`,
        '',
        ...prompt.split('\n').map((line) => dim(`  | ${line}`)),
      ]),
      '',
      'Nothing was started, and nothing was written.',
    ].join('\n'),
  )
}

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)

/** As a POSIX shell would take it. */
const quoted = (argument: string): string =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
