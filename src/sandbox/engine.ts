import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { YokeError } from '../errors.ts'
import { findProgram } from '../system/find-program.ts'
import type { EngineKind } from './identity.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A container engine that answers. */
export type Engine = EngineKind & {
  /** The client's absolute path. */
  readonly file: string
  readonly version: string
}

const run = promisify(execFile)

const ask = (file: string, args: readonly string[], env: Env): Promise<string> =>
  run(file, args, { env: { ...env }, timeout: 20_000, maxBuffer: 16 * 1024 * 1024 }).then(
    ({ stdout }) => stdout,
  )

const DockerInfo = v.looseObject({
  ServerVersion: v.string(),
  SecurityOptions: v.optional(v.array(v.string()), []),
})
const PodmanInfo = v.looseObject({
  host: v.looseObject({ security: v.looseObject({ rootless: v.boolean() }) }),
  version: v.looseObject({ Version: v.string() }),
})

/**
 * The engine to use: the one that is named, else the first of docker and podman that answers. Throws `E_NO_ENGINE` when
 * none is installed, `E_ENGINE_DOWN` when it does not answer.
 */
export const findEngine = async (wanted: 'docker' | 'podman' | undefined, env: Env): Promise<Engine> => {
  const names = wanted === undefined ? (['docker', 'podman'] as const) : ([wanted] as const)
  let silent: YokeError | undefined
  for (const name of names) {
    const file = await findProgram(name, env)
    if (file === undefined) continue
    try {
      return await describe(name, file, env)
    } catch (error) {
      silent ??= new YokeError(
        'E_ENGINE_DOWN',
        `The container engine ${file} does not answer: ${firstLine(error)}.`,
        name === 'docker' ? 'Start Docker, or name another engine with `engine`.' : 'See `podman info`.',
      )
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

const describe = async (name: 'docker' | 'podman', file: string, env: Env): Promise<Engine> => {
  if (name === 'podman') {
    const info = v.parse(PodmanInfo, JSON.parse(await ask(file, ['info', '--format', 'json'], env)))
    return {
      name,
      file,
      version: info.version.Version,
      rootless: info.host.security.rootless,
      remapped: false,
    }
  }
  const info = v.parse(DockerInfo, JSON.parse(await ask(file, ['info', '--format', '{{json .}}'], env)))
  const has = (option: string) =>
    info.SecurityOptions.some((each) => each.split(',').includes(`name=${option}`))
  return { name, file, version: info.ServerVersion, rootless: has('rootless'), remapped: has('userns') }
}

/** Throws `E_NO_IMAGE` with the command that gets it: yoke pulls nothing unasked. */
export const requireImage = async (engine: Engine, image: string, env: Env): Promise<void> => {
  const there = await ask(engine.file, ['image', 'inspect', '--format', '{{.Id}}', image], env).then(
    () => true,
    () => false,
  )
  if (!there)
    throw new YokeError(
      'E_NO_IMAGE',
      `The image ${image} is not on this machine.`,
      `Get it with \`${engine.name} pull ${image}\`, or build it: \`${engine.name} build -t ${image} .\`; or set \`pull: missing\`.`,
    )
}

/** Ids of containers with this label, running or not. */
export const leftovers = async (engine: Engine, label: string, env: Env): Promise<readonly string[]> =>
  (await ask(engine.file, ['ps', '--all', '--quiet', '--filter', `label=${label}`], env))
    .split('\n')
    .filter((id) => id !== '')

/** Removes what containers a dead yoke left behind in this project; a sentence for each that cannot be removed. */
export const removeLeftovers = async (
  engine: Engine,
  label: string,
  env: Env,
): Promise<readonly string[]> => {
  const ids = await leftovers(engine, label, env)
  const ends = await Promise.all(
    ids.map((id) =>
      ask(engine.file, ['rm', '--force', id], env).then(
        () => undefined,
        (error) => `The container ${id} could not be removed: ${firstLine(error)}.`,
      ),
    ),
  )
  return ends.filter((end) => end !== undefined)
}

const firstLine = (error: unknown): string => {
  const text =
    error instanceof Error && 'stderr' in error && typeof error.stderr === 'string'
      ? error.stderr
      : String(error)
  return text.trim().split('\n')[0]?.replace(/\.$/, '') ?? ''
}
