import type { CommandLine } from '../agents/agent.ts'
import type { Directives } from '../task/directives.ts'
import { runArguments } from './container.ts'
import { type EngineKind, identityArguments, isRootInside, type User } from './identity.ts'
import { projectLabel } from './leftovers.ts'
import type { Mount } from './mounts.ts'
import { handedOnNames, setVariables } from './variables.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What a container's command line depends on besides the command that is to run in it. */
export type SandboxFacts = {
  readonly engine: EngineKind
  readonly user: User
  readonly image: string
  readonly directives: Directives
  /** Absolute path of the project. */
  readonly project: string
  /** The agent's own home, absolute, below the project. */
  readonly home: string
  readonly mounts: readonly Mount[]
  readonly run: string
  /** The environment of yoke, which is that of the engine's client. */
  readonly env: Env
}

/** Variables that name a path of the host: without a mount of the user's they lead nowhere. */
const paths = ['OPENCODE_DB', 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR']

/** The environment in which yoke itself looks for the sessions that agents in the container store. */
export const hostEnvironment = ({ env, directives, home }: SandboxFacts): Env => {
  const named = directives.env.map((each) => each.split('=', 1)[0])
  return {
    ...Object.fromEntries(
      Object.entries(env).filter(([name]) => !paths.includes(name) || named.includes(name)),
    ),
    ...setVariables(directives.env),
    CLAUDE_CONFIG_DIR: home,
    XDG_DATA_HOME: `${home}/data`,
  }
}

/**
 * The arguments for the engine's client that run a command in a container, and the client's environment (§11). Where the agent
 * keeps its things is given by value: the client has a HOME and XDG folders of its own to look into. All else is given by
 * name, so that no value shows in a list of processes. A read-only role cannot change the project, whatever tools it has.
 */
export const containerCommand = (
  facts: SandboxFacts,
  { file, args, env: wanted }: Pick<CommandLine, 'file' | 'args' | 'env'>,
  { access, name }: { readonly access: 'edit' | 'read-only'; readonly name: string },
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } => {
  const { engine, user, image, directives, project, home, run } = facts
  const given = { ...wanted, ...setVariables(directives.env) }
  const places = {
    HOME: '/tmp',
    CLAUDE_CONFIG_DIR: home,
    XDG_CACHE_HOME: `${home}/cache`,
    // The worker can write into its own: what it says to itself there is none of the judge's business.
    XDG_CONFIG_HOME: access === 'read-only' ? '/tmp/config' : `${home}/config`,
    XDG_DATA_HOME: `${home}/data`,
    XDG_STATE_HOME: `${home}/state`,
    ...(isRootInside(engine, user) ? { IS_SANDBOX: '1' } : {}),
  }
  const names = handedOnNames(given, directives.env).filter((each) => !(each in places))
  const readonly = access === 'read-only'
  const { memory, cpus, network, pull, 'pids-limit': pids } = directives
  return {
    args: runArguments({
      image,
      name,
      labels: { [projectLabel]: project, 'yoke.run': run },
      identity: identityArguments(engine, user),
      mounts: readonly
        ? [
            ...facts.mounts.map((mount) => ({ ...mount, readonly })),
            { source: home, target: home, readonly: false },
          ]
        : facts.mounts,
      variables: [...Object.entries(places).map(([key, value]) => `${key}=${value}`), ...names],
      cwd: project,
      entrypoint: file,
      args,
      limits: {
        readOnlyRoot: directives['read-only-root'],
        ...(memory === undefined ? {} : { memory }),
        ...(cpus === undefined ? {} : { cpus }),
        ...(pids === undefined ? {} : { pids }),
        ...(network === 'default' ? {} : { network }),
      },
      pull,
      init: engine.name === 'docker',
      labelled: !engine.selinux,
    }),
    env: definedOf({
      ...facts.env,
      ...Object.fromEntries(names.map((each) => [each, given[each]])),
    }),
  }
}

const definedOf = (env: Env): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
