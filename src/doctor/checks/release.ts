import * as v from 'valibot'
import { losesItsEnd } from '../../agents/opencode/release.ts'
import { driftAgents, newestVerified, standingOf } from '../../drift/format.ts'
import { knownFormats } from '../../drift/known-formats.ts'
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
    const rows = driftAgents.map(async (name) => {
      const version = agents.find(({ agent }) => agent.name === name)?.version
      if (version === undefined) return []
      const formats = await knownFormats(name, env)
      const newest = newestVerified(formats) ?? null
      // Also those between the ones that were tried.
      const isBroken = name === 'opencode' && losesItsEnd(version)
      const standing = isBroken ? ('unverified' as const) : standingOf(version, formats)
      return [{ agent: name, version, standing, newest }]
    })
    return (await Promise.all(rows)).flat()
  },
  judge: ({ agent, version, standing, newest }) => {
    const probe = `Run \`yoke doctor --probe --learn${agent === 'claude' ? '' : ` --agent ${agent}`}\` to try it here, without a token.`
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
          `On ${agent} ${version} a run or a trimmed session lost something when yoke was tried with it.`,
          `Update ${agent}, or set \`trim: off\`.`,
        )
      case 'unknown':
        return warn(`Nothing is known of ${agent} ${version}.`, probe)
    }
  },
})
