import * as v from 'valibot'
import { registryFolder } from '../../agents/claude/session-file.ts'
import { liveHolder } from '../../transcript/live.ts'
import { check, ok, warn } from '../check.ts'
import { newest, storedSessions } from '../sessions.ts'

/** Whether a running CLI holds one of the newest sessions: it would not be trimmed under it. */
export const live = check({
  id: 'live-writer',
  facts: v.strictObject({
    held: v.array(v.strictObject({ session: v.string(), pid: v.number() })),
    looked: v.number(),
  }),
  gather: async (look) => {
    const all = newest(await storedSessions(look))
    if (all.length === 0) return []
    const registry = registryFolder(look.env)
    const held = await Promise.all(
      all.map(async ({ id }) => {
        const pid = liveHolder(registry, id)
        return pid === undefined ? [] : [{ session: id, pid }]
      }),
    )
    return [{ held: held.flat(), looked: all.length }]
  },
  judge: ({ held, looked }) =>
    held.length === 0
      ? ok(`No running CLI holds one of the ${looked} newest sessions.`)
      : warn(
          `${held.map(({ session, pid }) => `Process ${pid} holds session ${session}`).join('; ')}: it is not trimmed under it.`,
          'End that CLI before yoke goes on in its session.',
        ),
})
