import { join } from 'node:path'
import type { Colors } from 'picocolors/types'
import type { AgentEvent } from '../agents/agent.ts'
import type { RunEvent } from '../events.ts'
import { cycleFolder, fileStem, iterationFolder, type RunFolder } from '../run/folder.ts'
import { formatDuration, oneLine, printable } from './format.ts'

/** Where the event stream of one start of an agent is kept; `cycle` is the one that the scoper plans. */
export const streamFile = (
  run: RunFolder,
  { role, iteration, attempt }: RunEvent & { type: 'agent.started' },
  cycle: number,
): string => {
  const folder = role === 'scoper' ? cycleFolder(run, cycle) : iterationFolder(run, iteration)
  return join(folder, `${fileStem(role)}${attempt === 1 ? '' : `-${attempt}`}.stream.jsonl`)
}

/** What people see of one event of an agent, in full; undefined when it says nothing to them. */
export const agentLineOf = (event: AgentEvent, project: string, colors: Colors): string | undefined => {
  const { dim, red, yellow } = colors
  switch (event.type) {
    case 'said':
      return indented(event.text)
    case 'tool-called':
      return dim(
        `  ${printable(event.tool)} ${oneLine(event.target.replaceAll(`${project}/`, ''), 200)}`.trimEnd(),
      )
    case 'tool-returned':
      return event.denied !== undefined
        ? red(`    denied: ${oneLine(event.denied, 200)}`)
        : event.failed
          ? red('    failed')
          : undefined
    case 'background-started':
      return dim(`  in the background: ${oneLine(event.target, 200)}`)
    case 'retrying':
      return yellow(
        `  tries again${event.delayMs === 0 ? '' : ` in ${formatDuration(event.delayMs)}`}: ${oneLine(event.cause, 200)}`,
      )
    case 'request-failed':
      return red(`  the request failed: ${oneLine(event.text || event.error, 300)}`)
    case 'limit':
      return yellow(`  ${oneLine(event.text, 200)}`)
    default:
      return undefined
  }
}

const indented = (text: string): string =>
  printable(text.trim())
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')

/** The newest thing that an agent did or said, in one line; undefined when it did nothing that shows. */
export const newestOf = (events: readonly AgentEvent[], project: string): string | undefined => {
  const event = events.findLast(({ type }) => type === 'said' || type === 'tool-called')
  if (event?.type === 'said') return oneLine(event.text, 200)
  if (event?.type === 'tool-called')
    return oneLine(`${event.tool} ${event.target.replaceAll(`${project}/`, '')}`, 200)
  return undefined
}
