import picocolors from 'picocolors'
import type { Activity, RunEvent } from '../events.ts'
import { printableJson } from './format.ts'
import { lineOf } from './lines.ts'
import { startLive, type Terminal } from './live.ts'
import { type Notify, notification } from './notify.ts'
import { endSummary } from './summary.ts'

/** Where what happens in a run is shown. */
export type Output = {
  readonly event: (event: RunEvent) => void
  readonly activity: (activity: Activity) => void
}

export type OutputOptions = {
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
  /** Lines only, in words: for screen readers and for those who want to read back. */
  readonly plain?: boolean | undefined
  readonly notify?: Notify | undefined
  /** The events of a run before it was resumed. */
  readonly past?: ((run: string) => readonly RunEvent[]) | undefined
}

export type Stream = Terminal & { readonly isTTY?: boolean }

/** Events as JSON lines, as lines for people with a live block on a terminal, or nothing but the end. */
export const createOutput = (options: OutputOptions, stream: Stream, env: NodeJS.ProcessEnv): Output => {
  if (options.json) {
    const write = (event: RunEvent | Activity) => stream.write(`${printableJson(event)}\n`)
    return { event: write, activity: write }
  }
  return forPeople(options, stream, env)
}

const forPeople = (options: OutputOptions, stream: Stream, env: NodeJS.ProcessEnv): Output => {
  const { quiet, past = () => [], notify } = options
  const colors = picocolors.createColors(!options.plain && wantsColor(stream, env))
  const isLive = !quiet && !options.plain && canMoveCursor(stream, env)
  const events: RunEvent[] = []
  let live: ReturnType<typeof startLive> | undefined
  const print = (text: string | undefined) => {
    if (text === undefined || quiet) return
    if (live === undefined) stream.write(`${text}\n`)
    else live.print(text)
  }
  const tell = (text: string) => {
    if (notify !== undefined && stream.isTTY === true) stream.write(notification(text, notify, env))
  }
  return {
    event: (event) => {
      if (event.type === 'run.resumed' && events.length === 0) events.push(...past(event.run))
      if (isLive && live === undefined) live = startLive(stream, colors, events, Date.now)
      events.push(event)
      live?.see(event)
      if (event.type !== 'run.finished') {
        print(lineOf(event, colors))
        if (event.type === 'wait.started') tell(`waits: ${event.reason}`)
        return
      }
      live?.close()
      live = undefined
      stream.write(`${endSummary(event, events, colors)}\n`)
      tell(`${event.result}: ${event.reason}`)
    },
    activity: (activity) => {
      live?.see(activity)
      // The block counts down by itself.
      if (live === undefined || activity.type !== 'wait.left') print(lineOf(activity, colors))
    },
  }
}

/** A terminal that moves its cursor, and a person before it: CI systems may offer one, but keep every frame in their logs. */
export const canMoveCursor = (stream: Stream, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && env['TERM'] !== 'dumb' && !isSet(env['CI'])

const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== 'false' && value !== '0'

/** As no-color.org and FORCE_COLOR have it: any value of NO_COLOR but the empty one wins. */
export const wantsColor = (stream: Stream, env: NodeJS.ProcessEnv): boolean => {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}
