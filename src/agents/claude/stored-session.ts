import { join } from 'node:path'
import { sessionGuard } from '../../drift/guard.ts'
import { knownFormats } from '../../drift/known-formats.ts'
import { fingerprintSession } from '../../drift/session-fingerprint.ts'
import { takeInventory } from '../../transcript/inventory.ts'
import { trim } from '../../transcript/trim.ts'
import type { Agent, SessionTrim, SessionTrimmed } from '../agent.ts'
import { locateSession } from './locate.ts'
import { registryFolder } from './session-file.ts'

/** Opens a session file. */
export const openSession: Agent['openSession'] = async (named, cwd, env) => {
  const found = await locateSession(named, cwd, env)
  const { file, config, cwds } = found
  const project = cwds[0] ?? cwd
  return {
    found,
    inventory: () => takeInventory(file, project),
    fingerprint: async (strict) =>
      fingerprintSession(file, project, { formats: await knownFormats('claude', env), strict }),
    trim: (wishes) =>
      trimFile({ ...wishes, file, cwd: project, harder: false, env }, join(config, 'sessions')),
  }
}

/** Trims a session that the environment's own CLI keeps. */
export const trimSession = (request: SessionTrim): Promise<SessionTrimmed> =>
  trimFile(request, registryFolder(request.env))

type FileTrim = Omit<SessionTrim, 'program' | 'session'>

/** `liveSessions` is the registry of the CLI that keeps the file. */
const trimFile = async (
  { env, drift: policy, ...request }: FileTrim,
  liveSessions: string,
): Promise<SessionTrimmed> => {
  const guard = sessionGuard(await knownFormats('claude', env), policy === 'strict')
  const result = await trim({ ...request, liveSessions, guard })
  const drift = guard.drift()
  return drift === undefined ? result : { ...result, drift }
}
