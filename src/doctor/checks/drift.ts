import * as v from 'valibot'
import { describeDifference } from '../../drift/drift.ts'
import { allFormats, sessionGuard } from '../../drift/guard.ts'
import { trim } from '../../transcript/trim.ts'
import { check, ok, warn } from '../check.ts'
import { newest, storedSessions } from '../sessions.ts'

/** Whether the newest sessions are in a format that yoke knows. */
export const drift = check({
  id: 'drift',
  facts: v.strictObject({
    session: v.string(),
    versions: v.array(v.string()),
    verdict: v.picklist(['known', 'additive', 'breaking']),
    /** A sentence each, without a word of what the session says. */
    differences: v.array(v.string()),
  }),
  gather: async (look) => {
    const formats = await allFormats(look.env)
    const facts = newest(await storedSessions(look)).map(async ({ id, file }) => {
      const guard = sessionGuard(formats, look.directives?.drift === 'strict')
      const request = {
        file,
        keep: [],
        cwd: look.project,
        staleReads: 'drop',
        backup: `${file}.bak`,
      } as const
      await trim({ ...request, guard, dryRun: true })
      const found = guard.drift()
      return found === undefined
        ? []
        : [
            {
              session: id,
              versions: [...found.versions],
              verdict: found.verdict,
              differences: found.differences.slice(0, 3).map(describeDifference),
            },
          ]
    })
    return (await Promise.all(facts)).flat()
  },
  judge: ({ session, versions, verdict, differences }) => {
    const by = versions.length === 0 ? '' : `, written by ${versions.join(', ')},`
    if (verdict === 'known') return ok(`Session ${session}${by} is in a known format.`)
    const what = `Session ${session}${by} holds what yoke does not know: ${differences.join('; ')}.`
    return verdict === 'additive'
      ? ok(`${what} The trim stands on none of it.`)
      : warn(`${what} It is not trimmed.`, 'Run `yoke doctor --probe --learn`, and update yoke.')
  },
})
