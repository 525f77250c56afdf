import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import type { Installation, Launch } from '../agent.ts'
import { environmentIn, jsonVariable } from './environment.ts'

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
 * resolved by it. The project's part, which the worker can write, stays out, and so does an agent's home of the project's own:
 * a role that only reads has none of its configuration.
 */
export const inspect = async (
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  launch: Launch,
): Promise<Installation> => {
  const config = jsonVariable(await configOf(file, env, launch))
  const settings = Object.fromEntries(
    kept.filter((key) => !isEmpty(config[key])).map((key) => [key, config[key]]),
  )
  return { settings, env: {} }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

const configOf = async (
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  launch: Launch,
): Promise<string | undefined> => {
  try {
    const command = launch(
      {
        file,
        args: ['debug', 'config'],
        stdin: '',
        env: {
          ...environmentIn(tmpdir(), env),
          OPENCODE_DISABLE_PROJECT_CONFIG: '1',
          OPENCODE_DB: ':memory:',
        },
      },
      'read-only',
    )
    const { stdout } = await promisify(execFile)(command.file, [...command.args], {
      cwd: tmpdir(),
      env: command.env,
      timeout: 60_000,
      maxBuffer: 16 << 20,
    })
    return stdout
  } catch {
    // The start itself will show what is wrong.
    return undefined
  }
}
