import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import type { Installation, Invocation, Launch } from '../agent.ts'
import { objectIn } from './chosen-agent.ts'
import { environmentIn } from './environment.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Keys of the user's configuration that a role without settings still needs: how to reach the provider, and which model. */
const kept = [
  'provider',
  'model',
  'small_model',
  'enabled_providers',
  'disabled_providers',
  // Some logins are plugins.
  'plugin',
] as const

/**
 * Asks OpenCode itself for the configuration (`debug config`, 1.1 s on 1.18.33): files, variables and references in them are
 * resolved by it. For a role that only reads, the project's part, which the worker can write, stays out, and so does an agent's home
 * of the project's own. For another one it is asked where rules are to be added to those of the agent that works.
 */
export const inspect = async (
  file: string,
  env: Env,
  launch: Launch,
  _home: 'of-user' | 'of-project',
  { access, cwd, allowedTools = [] }: Invocation,
): Promise<Installation> => {
  const nothing = { settings: {}, env: {} }
  if (access === 'read-only') {
    const alone = { ...environmentIn(tmpdir(), env), OPENCODE_DISABLE_PROJECT_CONFIG: '1' }
    const config = await configOf(file, alone, launch, access)
    const settings = Object.fromEntries(
      kept.filter((key) => !isEmpty(config?.[key])).map((key) => [key, config?.[key]]),
    )
    return { ...nothing, settings }
  }
  if (allowedTools.length === 0) return nothing
  const configuration = await configOf(file, environmentIn(cwd, env), launch, access)
  return { ...nothing, ...(configuration === undefined ? {} : { configuration }) }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** As it is where `PWD` says; undefined when it cannot be told: the start itself will show what is wrong. */
const configOf = async (
  file: string,
  env: Readonly<Record<string, string>>,
  launch: Launch,
  access: Invocation['access'],
): Promise<Readonly<Record<string, unknown>> | undefined> => {
  try {
    const asked = { file, args: ['debug', 'config'], stdin: '', env: { ...env, OPENCODE_DB: ':memory:' } }
    const command = launch(asked, access)
    const { stdout } = await promisify(execFile)(command.file, [...command.args], {
      cwd: env['PWD'],
      env: command.env,
      timeout: 60_000,
      maxBuffer: 16 << 20,
    })
    return objectIn(JSON.parse(stdout))
  } catch {
    return undefined
  }
}
