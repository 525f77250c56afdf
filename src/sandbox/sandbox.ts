import { randomUUID } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Place } from '../agents/agent.ts'
import type { Directives } from '../task/directives.ts'
import { runArguments } from './container.ts'
import { type Engine, findEngine, removeLeftovers, requireImage } from './engine.ts'
import { engineFailure } from './failure.ts'
import { identityArguments, isRootInside } from './identity.ts'
import { mountsFor } from './mounts.ts'
import { handedOnNames, setVariables } from './variables.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where the agents of one project run instead of on the host. */
export type Sandbox = Place & {
  readonly engine: Engine
  /** The environment in which yoke looks for sessions and starts agents: the agent's home is the project's own. */
  readonly env: Env
  /** Removes containers of this project that are still there; a sentence for each that cannot be removed. */
  readonly clean: () => Promise<readonly string[]>
}

/** Finds an engine that answers and has the image, before anything is written. Throws as `findEngine` and `requireImage`. */
export const requireSandbox = async (image: string, directives: Directives, env: Env): Promise<Engine> => {
  const engine = await findEngine(directives.engine, env)
  if (directives.pull === 'never') await requireImage(engine, image, env)
  return engine
}

/**
 * Prepares containers of `directives.image` for a project: the engine answers, the image is there, leftovers of a dead yoke
 * are gone, the agent's own home exists below `.loop/` with the right owner (a source that is missing would be made by
 * the engine as root, and the agent would store no session there without a word).
 */
export const prepareSandbox = async (
  image: string,
  {
    project,
    loop,
    run,
    directives,
    env,
  }: {
    readonly project: string
    /** Absolute path of `.loop`. */
    readonly loop: string
    readonly run: string
    readonly directives: Directives
    readonly env: Env
  },
): Promise<Sandbox> => {
  const engine = await requireSandbox(image, directives, env)
  const home = join(loop, 'agent-home')
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chmod(home, 0o700)
  const label = `yoke.project=${project}`
  await removeLeftovers(engine, label, env)
  const mounts = await mountsFor(project, directives.mounts)
  const { uid, gid } = userInfo()
  const inside: Readonly<Record<string, string>> = {
    ...setVariables(directives.env),
    CLAUDE_CONFIG_DIR: home,
    ...(isRootInside(engine, uid) ? { IS_SANDBOX: '1' } : {}),
  }
  return {
    engine,
    env: { ...env, ...setVariables(directives.env), CLAUDE_CONFIG_DIR: home },
    launch: ({ file: entrypoint, args, stdin, env: wanted }) => ({
      file: engine.file,
      args: runArguments({
        image,
        name: `yoke-${run}-${randomUUID().slice(0, 8)}`,
        labels: { 'yoke.project': project, 'yoke.run': run },
        identity: identityArguments(engine, uid, gid),
        mounts,
        // HOME of the client is where it finds its own configuration, so the container's is given by value.
        variables: ['HOME=/tmp', ...namesFor({ ...wanted, ...inside }, directives.env)],
        cwd: project,
        entrypoint,
        args,
        limits: {
          readOnlyRoot: directives['read-only-root'],
          ...(directives.memory === undefined ? {} : { memory: directives.memory }),
          ...(directives.cpus === undefined ? {} : { cpus: directives.cpus }),
          ...(directives['pids-limit'] === undefined ? {} : { pids: directives['pids-limit'] }),
          ...(directives.network === undefined ? {} : { network: directives.network }),
        },
        pull: directives.pull,
        init: engine.name === 'docker',
      }),
      stdin,
      env: { ...wanted, ...inside, HOME: wanted['HOME'] ?? env['HOME'] ?? '/' },
    }),
    failure: (ending) => engineFailure(image, ending),
    clean: () => removeLeftovers(engine, label, env),
  }
}

/** The agent's own home is named whatever the allow-list says. */
const namesFor = (env: Env, named: readonly string[]): readonly string[] => [
  ...new Set([
    'CLAUDE_CONFIG_DIR',
    ...('IS_SANDBOX' in env ? ['IS_SANDBOX'] : []),
    ...handedOnNames(env, named),
  ]),
]
