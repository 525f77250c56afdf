import * as v from 'valibot'
import { newestVerified, standingOf } from '../../drift/format.ts'
import { allFormats } from '../../drift/guard.ts'
import { check, ok, warn } from '../check.ts'

/** How the installed release stands to those on which a trim was verified. */
export const release = check({
  id: 'release',
  facts: v.strictObject({
    agent: v.string(),
    version: v.string(),
    standing: v.picklist(['verified', 'within', 'unverified', 'newer', 'older', 'unknown']),
    newest: v.nullable(v.string()),
  }),
  gather: async ({ agents, env }) => {
    const formats = await allFormats(env)
    return agents.flatMap(({ agent, version }) =>
      agent.name !== 'claude' || version === undefined
        ? []
        : [
            {
              agent: agent.name,
              version,
              standing: standingOf(version, formats),
              newest: newestVerified(formats) ?? null,
            },
          ],
    )
  },
  judge: ({ agent, version, standing, newest }) => {
    const probe = 'Run `yoke doctor --probe --learn` to try it here, without a token.'
    switch (standing) {
      case 'verified':
        return ok(`Trims were verified on ${agent} ${version}.`)
      case 'within':
        return ok(`Trims were verified on releases before and after ${agent} ${version}.`)
      case 'newer':
        return warn(
          `${agent} ${version} is newer than ${newest}, the newest on which trims were verified.`,
          probe,
        )
      case 'older':
        return warn(`${agent} ${version} is older than all on which trims were verified.`, probe)
      case 'unverified':
        return warn(
          `On ${agent} ${version} a trimmed session lost something when yoke was tried with it.`,
          `Update ${agent}, or set \`trim: off\`.`,
        )
      case 'unknown':
        return warn(`Nothing is known of ${agent} ${version}.`, probe)
    }
  },
})
