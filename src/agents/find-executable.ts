import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { YokeError } from '../errors.ts'
import type { Agent } from './agent.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The absolute path of an agent's program: `explicit` when given, else the first on PATH. No shell is asked. Throws
 * `E_NO_AGENT` with exit code 1: the command is right, the machine lacks the program.
 */
export const findExecutable = async (
  agent: Pick<Agent, 'name' | 'install'>,
  env: Env,
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
  for (const folder of folders(env)) {
    for (const extension of extensions(env)) {
      const file = join(folder, `${agent.name}${extension}`)
      if (await isProgram(file)) return file
    }
  }
  throw new YokeError(
    'E_NO_AGENT',
    `The agent \`${agent.name}\` is not on PATH.`,
    `Install it: ${agent.install}`,
  )
}

/** A relative entry would mean another program in every project, and a project could bring its own. */
const folders = (env: Env): readonly string[] =>
  (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))

/** A `.cmd` or `.bat` file needs a shell to run it, so it does not count. */
const extensions = (env: Env): readonly string[] =>
  process.platform === 'win32'
    ? (env['PATHEXT'] ?? '.COM;.EXE').split(';').filter((extension) => /^\.(?:com|exe)$/i.test(extension))
    : ['']

const isProgram = async (file: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
