import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Agent } from '../agents/agent.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { Engine } from './engine.ts'
import { meaningOf } from './failure.ts'
import { askEngine, complaintIn, complaintOf } from './run-engine.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Whether the image is on this machine. */
export const hasImage = (engine: Engine, image: string, env: Env): Promise<boolean> =>
  askEngine(engine.file, ['image', 'inspect', '--format', '{{.Id}}', image], env).then(
    () => true,
    () => false,
  )

/** Throws `E_NO_IMAGE`: with the command that gets the image, since yoke pulls nothing unasked, or with why it cannot be pulled. */
export const requireImage = async (
  engine: Engine,
  image: string,
  pull: 'never' | 'missing',
  env: Env,
): Promise<void> => {
  if (await hasImage(engine, image, env)) return
  const build = `\`${engine.name} build -t ${image} .\``
  if (pull === 'never')
    throw new YokeError(
      'E_NO_IMAGE',
      `${engine.name} has no image ${image} on this machine.${engine.passedOver === undefined ? '' : ` It was asked because this failed: ${engine.passedOver}`}`,
      `Get it with \`${engine.name} pull ${image}\`, or build it: ${build}; or set \`pull: missing\`.`,
    )
  const failure = await pullImage(engine, image, env)
  if (failure !== undefined)
    throw new YokeError(
      'E_NO_IMAGE',
      `The image ${image} is not on this machine and cannot be fetched: ${failure}.`,
      `Check its name and the network, log in to its registry, or build it: ${build}.`,
    )
}

/** It may take minutes: the engine shows on standard error how far it is. Resolves to its complaint when it fails. */
const pullImage = async (engine: Engine, image: string, env: Env): Promise<string | undefined> => {
  const child = spawn(engine.file, ['pull', image], { env: { ...env }, stdio: ['ignore', 2, 'pipe'] })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-4096)
  })
  const [exit] = (await once(child, 'close')) as [number | null]
  return exit === 0 ? undefined : complaintIn(said) || 'the engine was ended'
}

/** The first container of a large image is slow where its files are copied. */
const startMs = 120_000

/** What the preflight answers when the image lacks something. */
const noAgent = 90
const noShell = 91

/** Run in the image by its own shell, with the agent's program as `$0` and the shells that it can use behind it. */
const script = `command -v "$0" >/dev/null 2>&1 || exit ${noAgent}
for each; do command -v "$each" >/dev/null 2>&1 && found=1; done
[ -n "$found" ] || exit ${noShell}
exec "$0" --version`

/**
 * Starts a container as a run would, to find out before anything is written, and before a token is spent, what would keep the
 * agent from working in it. Resolves to the agent's version. `launch` gives the client's arguments for a program in the
 * image. Throws `E_IMAGE` (the image lacks something) or `E_CONTAINER` (the engine cannot start it).
 */
export const checkImage = async (
  engine: Engine,
  image: string,
  { name, install, shells = ['sh'] }: Pick<Agent, 'name' | 'install' | 'shells'>,
  launch: (file: string, args: readonly string[]) => { readonly args: readonly string[]; readonly env: Env },
): Promise<string> => {
  const { args, env } = launch('sh', ['-c', script, name, ...shells])
  try {
    return (await askEngine(engine.file, args, env, startMs)).trim()
  } catch (error) {
    const exit = error instanceof Error && 'code' in error ? error.code : undefined
    throw imageError(image, { name, install, shells }, exit, complaintOf(error))
  }
}

const imageError = (
  image: string,
  { name, install, shells }: Required<Pick<Agent, 'name' | 'install' | 'shells'>>,
  exit: unknown,
  said: string,
): YokeError => {
  if (exit === noAgent)
    return new YokeError(
      'E_IMAGE',
      `The image ${image} has no \`${name}\` on its PATH.`,
      `Add \`RUN ${install}\` to its Dockerfile and build it again.`,
      exitCode.blocked,
    )
  if (exit === noShell || /exec:? "?sh"?(?: failed|:)|file `sh` not found/.test(said))
    return new YokeError(
      'E_IMAGE',
      `The image ${image} has no ${shells.join(' or ')}, which \`${name}\` runs its commands with.`,
      `Install ${shells[0]} in its Dockerfile and build it again.`,
      exitCode.blocked,
    )
  const meaning = meaningOf(exit)
  if (exit === 125)
    return new YokeError(
      'E_CONTAINER',
      `${meaning} (${image}): ${said}.`,
      'Correct the directives of the container, or see what the engine needs.',
      exitCode.blocked,
    )
  return new YokeError(
    'E_IMAGE',
    `\`${name}\` does not start in the image ${image}: ${said}.`,
    `Try it: run \`${name} --version\` in a container of the image; one with glibc, such as node:22, is known to work.`,
    exitCode.blocked,
  )
}
