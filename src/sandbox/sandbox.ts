import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join, sep } from 'node:path'
import type { Agent, Launch, Place } from '../agents/agent.ts'
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
  const { image } = request
  const facts = await factsOf(request, 'check')
  const { engine } = facts
  const launch = launcher(onlyLooking(facts))
  // No key goes in: a version is all that is asked for.
  const agentVersion = await checkImage(engine, image, agent, (file, args) =>
    launch({ file, args, stdin: '', env: {} }),
  )
  return { engine, agentVersion }
}

/** A container that changes nothing on the host. */
const onlyLooking = (facts: Facts): Facts => ({
  ...facts,
  mounts: facts.mounts
    .filter(({ source }) => source !== facts.home)
    .map((mount) => ({ ...mount, readonly: true })),
  home: '/tmp/agent-home',
})

/**
 * How agents would be started in containers of an image. No container is started: nobody has agreed yet to what the task asks
 * for. Throws as `findEngine` and `mountsFor`, and as `requireImage` for an image that a run would not pull.
 */
export const planSandbox = async (
  request: SandboxRequest,
): Promise<{ readonly launch: Launch; readonly env: Env }> => {
  const { image, directives, env } = request
  const engine = await findEngine(directives.engine, env)
  if (directives.pull === 'never') await requireImage(engine, image, 'never', env)
  const facts = await factsFor(engine, request, 'dry-run')
  return { launch: launcher(facts), env: hostEnvironment(facts) }
}

const launcher =
  (facts: Facts): Launch =>
  (command, access = 'edit') => {
    const { args, env } = containerCommand(facts, command, { access, name: nameOf(facts.run) })
    return { file: facts.engine.file, args, stdin: command.stdin, env }
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
    launch: launcher(facts),
    failure: (ending) => engineFailure(image, ending),
    sweep: async () => void (await clean()),
    clean,
  }
}

const nameOf = (run: string): string => `yoke-${run}-${randomUUID().slice(0, 8)}`

type Facts = SandboxFacts & { readonly engine: Engine }

const factsOf = async (request: SandboxRequest, run: string): Promise<Facts> => {
  const { image, directives, env } = request
  const engine = await findEngine(directives.engine, env)
  await requireImage(engine, image, directives.pull, env)
  return factsFor(engine, request, run)
}

const factsFor = async (
  engine: Engine,
  { image, project, loop, directives, env }: SandboxRequest,
  run: string,
): Promise<Facts> => {
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
