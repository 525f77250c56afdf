import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join, sep } from 'node:path'
import type { Agent, Place } from '../agents/agent.ts'
import { YokeError } from '../errors.ts'
import type { Directives } from '../task/directives.ts'
import { type Engine, findEngine } from './engine.ts'
import { engineFailure } from './failure.ts'
import { checkImage, requireImage } from './image.ts'
import { removeLeftovers } from './leftovers.ts'
import { mountsFor } from './mounts.ts'
import { containerCommand, hostEnvironment, type SandboxFacts } from './plan.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where the agents of one project run instead of on the host. */
export type Sandbox = Place & {
  readonly engine: Engine
  /** The environment in which yoke looks for sessions and starts agents: the agent's home is the project's own. */
  readonly env: Env
  /** Removes containers of this project that are still there; a sentence for each that cannot be removed. */
  readonly clean: () => Promise<readonly string[]>
}

export type SandboxRequest = {
  readonly image: string
  /** Absolute path. */
  readonly project: string
  /** Absolute path of `.loop`. */
  readonly loop: string
  readonly directives: Directives
  readonly env: Env
}

/**
 * Finds an engine that answers and has the image, and starts the agent in a container once to see that it would work, before
 * anything is written. Throws as `findEngine`, `requireImage`, `mountsFor` and `checkImage`.
 */
export const requireSandbox = async (
  agent: Pick<Agent, 'name' | 'install' | 'shells'>,
  request: SandboxRequest,
): Promise<{ readonly engine: Engine; readonly agentVersion: string }> => {
  const facts = await factsOf(request, 'check')
  const { engine } = facts
  const mounts = facts.mounts.map((mount) => ({ ...mount, readonly: true }))
  const looked = { ...facts, mounts, home: '/tmp/agent-home' }
  const name = nameOf('check')
  const agentVersion = await checkImage(engine, request.image, agent, (file, args) =>
    containerCommand(looked, { file, args, env: definedOf(request.env) }, { access: 'edit', name }),
  )
  return { engine, agentVersion }
}

/**
 * Prepares containers of an image for the run of a project: the engine answers, the image is there, leftovers of a dead yoke
 * are gone, the agent's own home exists below `.loop/` with the right owner (a source that is missing would be made by
 * the engine as root, and the agent would store no session there without a word).
 */
export const prepareSandbox = async (
  request: SandboxRequest & { readonly run: string },
): Promise<Sandbox> => {
  const { image, project, env } = request
  const facts = await factsOf(request, request.run)
  const { engine, home } = facts
  for (const folder of [home, ...['cache', 'config', 'data', 'state'].map((each) => join(home, each))]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
  }
  const clean = async () => {
    const problems = await removeLeftovers(engine, project, env)
    // The agent's registry of running processes: their pids are those of containers that are gone.
    if (problems.length === 0) await rm(join(home, 'sessions'), { recursive: true, force: true })
    return problems
  }
  await clean()
  return {
    engine,
    env: hostEnvironment(facts),
    launch: (command, access = 'edit') => {
      const planned = containerCommand(facts, command, { access, name: nameOf(request.run) })
      return { file: engine.file, args: planned.args, stdin: command.stdin, env: planned.env }
    },
    failure: (ending) => engineFailure(image, ending),
    sweep: async () => void (await clean()),
    clean,
  }
}

const nameOf = (run: string): string => `yoke-${run}-${randomUUID().slice(0, 8)}`

const definedOf = (env: Env): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

const factsOf = async (
  { image, project, loop, directives, env }: SandboxRequest,
  run: string,
): Promise<SandboxFacts & { readonly engine: Engine }> => {
  if (process.platform === 'win32')
    throw new YokeError(
      'E_NO_ENGINE',
      'A container cannot have the project at the path that it has on Windows.',
      'Run yoke in WSL, or take `image` out.',
    )
  const engine = await findEngine(directives.engine, env)
  await requireImage(engine, image, directives.pull, env)
  const { uid, gid } = userInfo()
  const home = join(loop, 'agent-home')
  const mounts = await mountsFor(project, directives.mounts)
  return {
    engine,
    user: { uid, gid },
    image,
    directives,
    project,
    home,
    mounts: home.startsWith(`${project}${sep}`)
      ? mounts
      : [...mounts, { source: home, target: home, readonly: false }],
    run,
    env,
  }
}
