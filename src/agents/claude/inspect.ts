import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Installation, Launch } from '../agent.ts'
import { withoutSessionMarkers } from './environment.ts'
import { helpWords } from './help-words.ts'
import { userSettings } from './user-settings.ts'

/** Asks the installed release for its help (0.3 s on 2.1.332), and reads what a role without settings still needs of them. */
export const inspect = async (
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  launch: Launch,
): Promise<Installation> => {
  const [own, help] = await Promise.all([userSettings(env), helpOf(file, env, launch)])
  return { ...own, ...(help === undefined ? {} : { words: helpWords(help) }) }
}

const helpOf = async (
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  launch: Launch,
): Promise<string | undefined> => {
  try {
    const command = launch({ file, args: ['--help'], stdin: '', env: withoutSessionMarkers(env) })
    const { stdout } = await promisify(execFile)(command.file, [...command.args], {
      env: command.env,
      timeout: 10_000,
    })
    return stdout
  } catch {
    // The start itself will show what is wrong.
    return undefined
  }
}
