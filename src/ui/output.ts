import picocolors from 'picocolors'
import type { Activity, RunEvent } from '../events.ts'
import { printableJson } from './format.ts'
import { lineOf } from './lines.ts'

/** Where what happens in a run is shown. */
export type Output = {
  readonly event: (event: RunEvent) => void
  readonly activity: (activity: Activity) => void
}

export type OutputOptions = { readonly json?: boolean | undefined; readonly quiet?: boolean | undefined }

type Stream = { readonly write: (text: string) => unknown; readonly isTTY?: boolean }

/** Events as JSON lines, as lines for people, or nothing but the end. */
export const createOutput = (options: OutputOptions, stream: Stream, env: NodeJS.ProcessEnv): Output => {
  const write = (line: string) => stream.write(`${line}\n`)
  if (options.json)
    return {
      event: (event) => write(printableJson(event)),
      activity: (activity) => write(printableJson(activity)),
    }
  const colors = picocolors.createColors(wantsColor(stream, env))
  const show = (event: RunEvent | Activity) => {
    const line = lineOf(event, colors)
    if (line !== undefined) write(line)
  }
  return options.quiet
    ? { event: (event) => event.type === 'run.finished' && show(event), activity: () => undefined }
    : { event: show, activity: show }
}

/** As no-color.org and FORCE_COLOR have it: any value of NO_COLOR but the empty one wins. */
export const wantsColor = (stream: Stream, env: NodeJS.ProcessEnv): boolean => {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}
