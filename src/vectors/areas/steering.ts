import * as v from 'valibot'
import type { NewEvent, RunEvent } from '../../events.ts'
import { goalOf, initialRun, reduceRun } from '../../loop/run.ts'
import { loopFolder, runFolder } from '../../run/folder.ts'
import { readInbox } from '../../run/inbox.ts'
import { guardingTask, listen } from '../../run/steps/listen.ts'
import { DirectivesSchema } from '../../task/directives.ts'
import { area } from '../area.ts'
import { inPlace, type Place } from '../place.ts'

const Inbox = v.strictObject({
  /** Messages by the names of their files. */
  inbox: v.record(v.string(), v.string()),
  /** The names of those that are in the events: the run was killed behind them. */
  heard: v.exactOptional(v.array(v.string()), []),
  /** The task file as it is now. */
  task: v.exactOptional(v.string(), 'Do it.\n'),
})
const Edits = v.strictObject({
  /** The task file when the run began. */
  task: v.string(),
  /** What is written to it, and while what is done; null: it is removed. The run listens behind each. */
  edits: v.array(
    v.strictObject({
      during: v.picklist(['worker', 'periodic', 'check', 'judge', 'wait', 'pause']),
      text: v.nullable(v.string()),
    }),
  ),
})

/** What a run hears from outside (§3.12). */
export const steering = area(
  v.union([Inbox, Edits]),
  v.union([
    v.strictObject({
      /** The types of the events, in their order. */
      events: v.array(v.string()),
      said: v.array(v.string()),
      /** The names of the files that stay. */
      left: v.array(v.string()),
    }),
    v.strictObject({ events: v.array(v.string()), task: v.string() }),
  ]),
  (input) => inPlace(async (place) => ('inbox' in input ? heard(place, input) : edited(place, input))),
)

const heard = async (place: Place, { inbox, heard, task }: v.InferOutput<typeof Inbox>) => {
  for (const [name, text] of Object.entries(inbox)) await place.write(`p/.loop/runs/r/inbox/${name}`, text)
  await place.write('p/task.md', task)
  const world = hearing(place, 'Do it.\n')
  for (const name of heard) world.record({ type: 'person.said', inbox: name, text: name })
  const before = world.events.length
  await listen(world)
  return {
    events: world.events.slice(before).map(({ type }) => type),
    said: world.events.slice(before).flatMap((event) => (event.type === 'person.said' ? [event.text] : [])),
    left: readInbox(world.run).map(({ name }) => name),
  }
}

const isTheWorkers = new Set(['worker', 'periodic', 'check'])

const edited = async (place: Place, { task, edits }: v.InferOutput<typeof Edits>) => {
  await place.write('p/task.md', task)
  const world = hearing(place, task)
  for (const { during, text } of edits) {
    const write = async () => {
      if (text === null) await place.remove('p/task.md')
      else await place.write('p/task.md', text)
    }
    await (isTheWorkers.has(during) ? guardingTask(world, write) : write())
    await listen(world)
  }
  return { events: world.events.map(({ type }) => type), task: goalOf(world.progress(), task) }
}

/** What the part of a run that listens works with, on a task file and notes of this place. */
export const hearing = ({ project }: Place, task: string) => {
  const loop = loopFolder(project)
  const events: RunEvent[] = []
  const progress = () => events.reduce(reduceRun, initialRun(v.parse(DirectivesSchema, {}), '', 0))
  const record = (event: NewEvent): void => {
    events.push({ ...event, at: new Date(0).toISOString(), run: 'r' } as RunEvent)
  }
  return {
    events,
    loop,
    run: runFolder(loop, 'r'),
    task,
    taskFile: `${project}/task.md`,
    progress,
    state: () => progress().loop,
    record,
    untold: (_about: string, message: string) => record({ type: 'warning', code: 'W_STEERING', message }),
  }
}
