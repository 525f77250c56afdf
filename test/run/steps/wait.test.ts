import { expect, it } from 'vitest'
import { putMessage } from '../../../src/run/inbox.ts'
import { wait } from '../../../src/run/steps/wait.ts'
import { hearing } from '../../../src/vectors/areas/steering.ts'
import { inPlace, type Place } from '../../../src/vectors/place.ts'

/** The events of a wait of so long, while `meanwhile` happens. */
const waited = (
  ms: number,
  meanwhile: (world: ReturnType<typeof hearing>, place: Place) => Promise<unknown>,
) =>
  inPlace(async (place) => {
    await place.write('p/task.md', 'Do it.\n')
    const world = hearing(place, 'Do it.\n')
    const context = { ...world, now: Date.now, stop: new AbortController().signal, show: () => {} }
    const waiting = wait(context, Date.now() + ms)
    await meanwhile(world, place)
    await waiting
    return world.events.map(({ type }) => type)
  })

it.each([
  ['pause', 'run.paused'],
  ['stop', 'run.stopping'],
] as const)('a wait ends soon when somebody says %s, as if it were not over', async (type, event) => {
  expect(await waited(60_000, ({ run }) => putMessage(run, { type }, new Date()))).toEqual([event])
})

it('hears what is said and changed before it tries again', async () => {
  const events = await waited(1500, async ({ run }, place) => {
    await putMessage(run, { type: 'say', text: 'Be brief.' }, new Date())
    await place.write('p/task.md', 'Do more.\n')
  })
  expect(events).toEqual(['person.said', 'task.changed', 'wait.finished'])
})
