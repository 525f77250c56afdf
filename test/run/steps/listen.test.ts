import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { listen } from '../../../src/run/steps/listen.ts'
import { digestOfNotes } from '../../../src/run/steps/notes.ts'
import { hearing } from '../../../src/vectors/areas/steering.ts'
import { inPlace } from '../../../src/vectors/place.ts'

const left = 'Half done.\n\nKEEP: a.ts\n'

/** The events that come of these notes, once the worker has left its own; and the notes afterwards. */
const hearNotes = (notes: string, times = 1) =>
  inPlace(async (place) => {
    await place.write('p/task.md', 'Do it.\n')
    const world = hearing(place, 'Do it.\n')
    world.record({ type: 'notes.read', keep: ['a.ts'], reset: false, digest: digestOfNotes(left) })
    const file = await place.write('p/.loop/notes.md', notes)
    for (let n = 0; n < times; n += 1) await listen(world)
    return { events: world.events.slice(1), notes: readFileSync(file, 'utf8') }
  })

it('says nothing of notes that are as the worker left them', async () => {
  expect((await hearNotes(left)).events).toEqual([])
})

it('tells once of notes that somebody else has changed', async () => {
  const { events } = await hearNotes(`${left}Mind the sea.\n`, 2)
  expect(events).toMatchObject([{ type: 'notes.changed', reset: false }])
})

it('takes the line out by which a person asks for a fresh session', async () => {
  const { events, notes } = await hearNotes(`RESET: TRUE\n${left}`, 2)
  expect(events).toMatchObject([{ type: 'notes.changed', reset: true }])
  expect(notes).toBe(left)
})
