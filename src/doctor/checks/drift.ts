import { realpath } from 'node:fs/promises'
import * as v from 'valibot'
import { newestSession } from '../../agents/opencode/export-copy.ts'
import { type Drift, describeDifference } from '../../drift/drift.ts'
import { sessionGuard } from '../../drift/guard.ts'
import { knownFormats } from '../../drift/known-formats.ts'
import { sessionDrift } from '../../drift/opencode/guard.ts'
import { trim } from '../../transcript/trim.ts'
import { check, type Look, ok, warn } from '../check.ts'
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
  gather: async (look) => (await Promise.all([claudeSessions(look), openCodeSession(look)])).flat(),
  judge: ({ session, versions, verdict, differences }) => {
    const by = versions.length === 0 ? '' : `, written by ${versions.join(', ')},`
    if (verdict === 'known') return ok(`Session ${session}${by} is in a known format.`)
    const what = `Session ${session}${by} holds what yoke does not know: ${differences.join('; ')}.`
    return verdict === 'additive'
      ? ok(`${what} The trim stands on none of it.`)
      : warn(`${what} It is not trimmed.`, 'Run `yoke doctor --probe --learn`, and update yoke.')
  },
})

const factsOf = (session: string, { versions, verdict, differences }: Drift) => ({
  session,
  versions: [...versions],
  verdict,
  differences: differences.slice(0, 3).map(describeDifference),
})

const claudeSessions = async (look: Look) => {
  const formats = await knownFormats('claude', look.env)
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
    return found === undefined ? [] : [factsOf(id, found)]
  })
  return (await Promise.all(facts)).flat()
}

const openCodeSession = async ({ agents, env, project, directives }: Look) => {
  const { file, version } = agents.find(({ agent }) => agent.name === 'opencode') ?? {}
  if (file === undefined) return []
  const session = await newestSession({ program: file, env }, await realpath(project))
  if (session === undefined) return []
  const strict = directives?.drift === 'strict'
  const formats = await knownFormats('opencode', env)
  return [factsOf(session.id, sessionDrift(session.exported, formats, { strict, installed: version }))]
}
