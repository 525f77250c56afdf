import * as v from 'valibot'
import { exitCode, YokeError } from '../errors.ts'
import { findProgram } from '../system/find-program.ts'
import type { EngineKind } from './identity.ts'
import { remoteAddress } from './remote.ts'
import { askEngine, complaintOf } from './run-engine.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A container engine that answers. */
export type Engine = EngineKind & {
  /** The client's absolute path. */
  readonly file: string
  readonly version: string
  /** Why an engine that is looked for before it was not taken. */
  readonly passedOver?: string
}

const DockerInfo = v.looseObject({
  ServerVersion: v.pipe(v.string(), v.nonEmpty()),
  SecurityOptions: v.optional(v.nullable(v.array(v.string())), []),
})
const DockerVersion = v.looseObject({
  Server: v.looseObject({
    Components: v.optional(v.nullable(v.array(v.looseObject({ Name: v.string() }))), []),
  }),
})
const PodmanInfo = v.looseObject({
  host: v.looseObject({
    security: v.looseObject({ rootless: v.boolean(), selinuxEnabled: v.optional(v.boolean(), false) }),
    serviceIsRemote: v.optional(v.boolean(), false),
  }),
  version: v.looseObject({ Version: v.string() }),
})
const PodmanConnections = v.array(v.looseObject({ URI: v.string(), Default: v.optional(v.boolean(), false) }))

/**
 * The engine to use: the one that is named, else the first of docker and podman that answers. Throws `E_NO_ENGINE` when
 * none is installed, `E_ENGINE_DOWN` when it does not answer, `E_ENGINE_DENIED` when the user may not talk to it,
 * `E_ENGINE_REMOTE` when it runs on another machine, `E_ENGINE_MIXED` for docker's client with podman's service.
 * An engine of another machine was chosen, so that no other one is taken in its place.
 */
export const findEngine = async (wanted: 'docker' | 'podman' | undefined, env: Env): Promise<Engine> => {
  if (process.platform === 'win32')
    throw new YokeError(
      'E_NO_ENGINE',
      'A container cannot have the project at the path that it has on Windows.',
      'Run yoke in WSL, or take `image` out.',
    )
  const names = wanted === undefined ? (['docker', 'podman'] as const) : ([wanted] as const)
  let silent: YokeError | undefined
  for (const name of names) {
    const file = await findProgram(name, env)
    if (file === undefined) continue
    try {
      const engine = await (name === 'docker' ? describeDocker(file, env) : describePodman(file, env))
      return silent === undefined ? engine : { ...engine, passedOver: silent.message }
    } catch (error) {
      const known = error instanceof YokeError ? error : silence(name, file, error)
      if (known.code === 'E_ENGINE_REMOTE') throw known
      silent ??= known
    }
  }
  throw (
    silent ??
    new YokeError(
      'E_NO_ENGINE',
      `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} not on PATH.`,
      'Install a container engine, or take `image` out.',
    )
  )
}

const silence = (name: 'docker' | 'podman', file: string, error: unknown): YokeError => {
  const said = complaintOf(error)
  if (/permission denied/i.test(said))
    return new YokeError(
      'E_ENGINE_DENIED',
      `You may not talk to the container engine ${file}: ${said}.`,
      name === 'docker'
        ? 'Have yourself added to the group `docker` and log in again, or use rootless Docker or Podman.'
        : 'See `podman info`.',
    )
  return new YokeError(
    'E_ENGINE_DOWN',
    `The container engine ${file} does not answer: ${said}.`,
    name === 'docker' ? 'Start Docker, or name another engine with `engine`.' : 'See `podman info`.',
  )
}

const describeDocker = async (file: string, env: Env): Promise<Engine> => {
  // Before it is asked: one that cannot be reached would be waited for.
  refuseRemote(
    'docker',
    env['DOCKER_HOST'] ||
      (await askEngine(file, ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'], env).catch(
        () => '',
      )),
  )
  const [told, version] = await Promise.all([
    askEngine(file, ['info', '--format', '{{json .}}'], env),
    askEngine(file, ['version', '--format', '{{json .}}'], env),
  ])
  const info = parse(told)
  // The package podman-docker calls podman `docker`.
  if (v.is(PodmanInfo, info)) return describePodman(file, env)
  const { ServerVersion, SecurityOptions } = v.parse(DockerInfo, info)
  const { Components } = v.parse(DockerVersion, parse(version)).Server
  // Measured on podman 4.3.1: there `docker run --rm` ends with 0 whatever the agent ended with.
  if (Components?.some(({ Name }) => /podman/i.test(Name)))
    throw new YokeError(
      'E_ENGINE_MIXED',
      `${file} talks to a service of Podman, which loses how the agent ended.`,
      'Set `engine: podman`, so that podman itself is used.',
    )
  const has = (option: string) =>
    (SecurityOptions ?? []).some((each) => each.split(',').includes(`name=${option}`))
  return {
    name: 'docker',
    file,
    version: ServerVersion,
    rootless: has('rootless'),
    remapped: has('userns'),
    selinux: has('selinux'),
  }
}

const describePodman = async (file: string, env: Env): Promise<Engine> => {
  refuseRemote('podman', env['CONTAINER_HOST'] ?? '')
  const { host, version } = v.parse(
    PodmanInfo,
    parse(await askEngine(file, ['info', '--format', 'json'], env)),
  )
  if (host.serviceIsRemote) refuseRemote('podman', await defaultConnection(file, env))
  return {
    name: 'podman',
    file,
    version: version.Version,
    rootless: host.security.rootless,
    remapped: false,
    selinux: host.security.selinuxEnabled,
  }
}

const defaultConnection = async (file: string, env: Env): Promise<string> => {
  const told = await askEngine(file, ['system', 'connection', 'list', '--format', 'json'], env)
  const connections = v.parse(PodmanConnections, parse(told))
  return connections.find(({ Default }) => Default)?.URI ?? ''
}

const refuseRemote = (name: 'docker' | 'podman', address: string): void => {
  const remote = remoteAddress(address.trim())
  if (remote !== undefined)
    throw new YokeError(
      'E_ENGINE_REMOTE',
      `${name} runs containers on another machine (${remote}), which does not see this project.`,
      name === 'docker'
        ? 'Choose an engine of this machine: `docker context use default`, unset DOCKER_HOST, or `engine: podman`.'
        : 'Choose an engine of this machine: `podman system connection default`, or unset CONTAINER_HOST.',
      exitCode.blocked,
    )
}

/** An answer that is no JSON is shown as the engine's complaint. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`it answers with what is no JSON: ${text.trim().slice(0, 80)}`)
  }
}
