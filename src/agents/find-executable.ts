import { resolve } from 'node:path'
import { YokeError } from '../errors.ts'
import { findProgram, isProgram } from '../system/find-program.ts'
import type { Agent } from './agent.ts'

/**
 * The absolute path of an agent's program: `explicit` when given, else the first on PATH. Throws `E_NO_AGENT` with exit
 * code 1: the command is right, the machine lacks the program.
 */
export const findExecutable = async (
  agent: Pick<Agent, 'name' | 'install'>,
  env: Readonly<Record<string, string | undefined>>,
  explicit?: string,
): Promise<string> => {
  if (explicit !== undefined) {
    const file = resolve(explicit)
    if (await isProgram(file)) return file
    throw new YokeError(
      'E_NO_AGENT',
      `${file} is not a program that can be run.`,
      `Name the \`${agent.name}\` program, or install it: ${agent.install}`,
    )
  }
  const found = await findProgram(agent.name, env)
  if (found !== undefined) return found
  throw new YokeError(
    'E_NO_AGENT',
    `The agent \`${agent.name}\` is not on PATH.`,
    `Install it: ${agent.install}`,
  )
}
