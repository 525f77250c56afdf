import * as v from 'valibot'
import { takeInventory } from '../../transcript/inventory.ts'
import { check, ok, warn } from '../check.ts'
import { newest, storedSessions } from '../sessions.ts'

/** Damaged lines, unpaired tool uses and records out of reach in the newest sessions. */
export const damage = check({
  id: 'damage',
  facts: v.strictObject({
    session: v.string(),
    /** How often each kind of damage was found. */
    kinds: v.record(v.string(), v.number()),
  }),
  gather: async (look) =>
    Promise.all(
      newest(await storedSessions(look)).map(async ({ id, file }) => {
        const kinds: Record<string, number> = {}
        for (const { kind } of (await takeInventory(file, look.project)).damage)
          kinds[kind] = (kinds[kind] ?? 0) + 1
        return { session: id, kinds }
      }),
    ),
  judge: ({ session, kinds }) => {
    const found = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`)
    if (found.length === 0) return ok(`Session ${session} is whole.`)
    return warn(
      `Session ${session} is damaged: ${found.join(', ')}.`,
      `See \`yoke inspect ${session}\`; a trim mends what can be mended.`,
    )
  },
})
