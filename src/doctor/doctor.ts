import { findExecutable } from '../agents/find-executable.ts'
import { installedVersion } from '../agents/installed-version.ts'
import { agentByName, agentNames } from '../agents/registry.ts'
import { YokeError } from '../errors.ts'
import { findEngine } from '../sandbox/engine.ts'
import { configLayers, withAbsoluteMounts } from '../task/load.ts'
import { type Layer, resolveDirectives } from '../task/resolve.ts'
import type { Check, FoundAgent, Look, Row } from './check.ts'
import { agent } from './checks/agent.ts'
import { cleanup } from './checks/cleanup.ts'
import { config } from './checks/config.ts'
import { agentFolder } from './checks/config-folder.ts'
import { damage } from './checks/damage.ts'
import { disk } from './checks/disk.ts'
import { drift } from './checks/drift.ts'
import { engine } from './checks/engine.ts'
import { environment } from './checks/environment.ts'
import { leftovers } from './checks/leftovers.ts'
import { live } from './checks/live.ts'
import { lock } from './checks/lock.ts'
import { login } from './checks/login.ts'
import { opencodeStore } from './checks/opencode-store.ts'
import { release } from './checks/release.ts'
import { sessions } from './checks/sessions.ts'

/** In the order in which they are shown. */
export const checks: readonly Check[] = [
  agent,
  release,
  login,
  environment,
  config,
  lock,
  agentFolder,
  sessions,
  drift,
  damage,
  live,
  cleanup,
  opencodeStore,
  engine,
  leftovers,
  disk,
]

type Request = Pick<Look, 'project' | 'env' | 'now'> & {
  readonly image?: string | undefined
  /** The program of the agent that the configuration names, in place of the one on PATH. */
  readonly agentPath?: string | undefined
  /** The agent that is asked for, in place of that of the configuration. */
  readonly agent?: string
}

/** Looks at everything that a run stands on, and changes nothing. Never fails: what cannot be looked at is a row that says so. */
export const examine = async (look: Look): Promise<readonly Row[]> =>
  (await Promise.all(checks.map((each) => rowsOf(each, look)))).flat()

const rowsOf = async ({ id, gather, judge }: Check, look: Look): Promise<readonly Row[]> => {
  try {
    return (await gather(look)).map((facts) => ({ id, ...judge(facts) }))
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    return [
      {
        id,
        status: 'fail',
        found: `It could not be looked at: ${what}.`,
        fix: 'See that the place can be read.',
      },
    ]
  }
}

/** Finds the agents and reads the configuration, as far as it can be read. */
export const lookAround = async ({ image, agentPath, agent: named, ...place }: Request): Promise<Look> => {
  const layers = await configLayers(place.project, place.env).catch(unlessKnown)
  const directives = layers && (await directivesOf(layers, place).catch(unlessKnown))
  const own = layers?.filter(({ name }) => name === 'user config')
  const ownDirectives = (own && (await directivesOf(own, place).catch(unlessKnown))) ?? defaults
  const wanted = named ?? directives?.agent ?? 'claude'
  agentByName(wanted)
  // It is asked while the agents tell their versions.
  const engine = findEngine(directives?.engine, place.env)
  engine.catch(() => undefined)
  const agents = await Promise.all(
    agentNames.map((name) => findAgent(name, place.env, name === wanted ? agentPath : undefined)),
  )
  return {
    ...place,
    ...{ agents, directives, ownDirectives, engine, wanted },
    image: image ?? directives?.image,
    mayStart:
      image !== undefined || (directives?.image !== undefined && directives.image === ownDirectives.image),
  }
}

const defaults = resolveDirectives([]).directives

const directivesOf = async (layers: readonly Layer[], { project, env }: Pick<Look, 'project' | 'env'>) =>
  withAbsoluteMounts(resolveDirectives(layers).directives, project, env)

/** The check of the configuration says what is wrong with it. */
const unlessKnown = (error: unknown): undefined => {
  if (!(error instanceof YokeError)) throw error
}

const findAgent = async (name: string, env: Look['env'], path: string | undefined): Promise<FoundAgent> => {
  const found = agentByName(name)
  const file = await findExecutable(found, env, path).catch((error: unknown) => {
    if (path === undefined && error instanceof YokeError) return undefined
    throw error
  })
  return { agent: found, file, version: file === undefined ? undefined : await installedVersion(file, env) }
}
