import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import * as v from 'valibot'
import { YokeError } from '../errors.ts'
import { type NewEvent, type RunEvent, RunEventSchema } from '../events.ts'
import { readableFormat } from '../system/file-format.ts'

/** The append-only log of a run (§5.3). */
export type Journal = {
  readonly append: (event: NewEvent, at: Date) => RunEvent
  readonly close: () => void
}

/** What a power loss must not take back: money that was spent, sessions that were opened, ends. */
const lasting = new Set<RunEvent['type']>([
  'run.started',
  'session.opened',
  'agent.finished',
  'judge.verdict',
  // Its message in the inbox is removed behind it.
  'person.said',
  'task.changed',
  'run.finished',
])

/** Opens the log of a run for appending; a line that a crash cut off is taken away first. */
export const openJournal = (file: string, run: string): Journal => {
  const descriptor = openSync(file, 'a')
  const bytes = readFileSync(file)
  const whole = bytes.lastIndexOf(0x0a) + 1
  if (whole < bytes.length) ftruncateSync(descriptor, whole)
  return {
    append: (event, at) => {
      const { type, ...fields } = event
      const stamped = { type, at: at.toISOString(), run, ...fields } as RunEvent
      writeWhole(descriptor, Buffer.from(`${JSON.stringify(stamped)}\n`))
      if (lasting.has(event.type)) fdatasyncSync(descriptor)
      return stamped
    },
    close: () => closeSync(descriptor),
  }
}

/** A disk that fills up takes a part of the line before it refuses the rest: what it took is taken back. */
const writeWhole = (descriptor: number, line: Buffer): void => {
  const { size } = fstatSync(descriptor)
  try {
    for (let written = 0; written < line.length; ) written += writeSync(descriptor, line, written)
  } catch (error) {
    ftruncateSync(descriptor, size)
    throw error
  }
}

/** The events of a run in order. A cut-off last line is passed over; damage before it is an error that names the line. */
export const readJournal = (file: string): readonly RunEvent[] => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new YokeError(
      'E_NO_RUN',
      `There is no event log at ${file}.`,
      'Name another run, or start one with `yoke brute`.',
    )
  }
  const lines = text.split('\n')
  lines.pop()
  return lines.map((line, index) => parseEvent(line, `${file}:${index + 1}`))
}

const parseEvent = (line: string, where: string): RunEvent => {
  const damaged = (what: string) =>
    new YokeError(
      'E_DAMAGED_LOG',
      `The event log is damaged at ${where}: ${what}.`,
      'Start a new run with `yoke brute`; the notes and the agent sessions are not affected.',
    )
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw damaged('not JSON')
  }
  readableFormat(value, where)
  const result = v.safeParse(RunEventSchema, value)
  if (!result.success) throw damaged(result.issues[0].message)
  return result.output
}
