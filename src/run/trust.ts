import { mkdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import * as v from 'valibot'
import { exitCode, YokeError } from '../errors.ts'
import { atomicWrite } from '../system/atomic-write.ts'
import { fileFormat, readableFormat } from '../system/file-format.ts'
import { digestOfGrants, type Grant } from '../task/grants.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Digest of the grants -> the project they were given to, for people who look into the file. */
const TrustedSchema = v.record(v.string(), v.string())
type Trusted = v.InferOutput<typeof TrustedSchema>

/** Asks the user whether the project may have these grants. */
export type AskForTrust = (grants: readonly Grant[]) => Promise<boolean>

/**
 * Passes when the user has agreed to what the project asks for, once for each value and place: a task file in a cloned
 * repository cannot by itself make yoke run commands. Throws E_UNTRUSTED, exit code 2.
 */
export const requireTrust = async (
  project: string,
  grants: readonly Grant[],
  env: Environment,
  ask: AskForTrust,
): Promise<void> => {
  if (grants.length === 0) return
  const file = trustFile(env)
  const trusted = await readTrust(file)
  const digest = digestOfGrants(project, grants)
  if (digest in trusted) return
  if (!(await ask(grants)))
    throw new YokeError(
      'E_UNTRUSTED',
      `This project asks for what it has not been trusted with: ${grants.map(({ key, value }) => `${key} ${value}`).join('; ')}.`,
      'Read it, then run the command again with --trust.',
      exitCode.usage,
    )
  await add(file, trusted, digest, project)
}

/**
 * Keeps what a run was started with as agreed to, so that a resume need not ask. A log that came with a repository was never
 * started here, and is asked about. Where it cannot be kept, the resume asks.
 */
export const rememberTrust = async (
  project: string,
  grants: readonly Grant[],
  env: Environment,
): Promise<void> => {
  if (grants.length === 0) return
  const file = trustFile(env)
  const trusted = await readTrust(file)
  const digest = digestOfGrants(project, grants)
  if (!(digest in trusted)) await add(file, trusted, digest, project).catch(() => undefined)
}

const add = async (file: string, trusted: Trusted, digest: string, project: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true })
  const content = { format: fileFormat, trusted: { ...trusted, [digest]: project } }
  await atomicWrite(file, `${JSON.stringify(content, undefined, 2)}\n`)
}

const trustFile = (env: Environment): string => {
  const state = env['XDG_STATE_HOME']
  const home = env['HOME'] || env['USERPROFILE'] || homedir()
  return join(
    state !== undefined && isAbsolute(state) ? state : join(home, '.local', 'state'),
    'yoke',
    'trust.json',
  )
}

/** A damaged file trusts nothing, and is written anew with the next answer. */
const readTrust = async (file: string): Promise<Trusted> => {
  const content = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}))
  const trusted = readableFormat(content, file) === 0 ? content : content.trusted
  const parsed = v.safeParse(TrustedSchema, trusted)
  return parsed.success ? parsed.output : {}
}
