import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Installation, Invocation, Launch } from '../agent.ts'
import { withoutSessionMarkers } from './environment.ts'
import { helpWords } from './help-words.ts'
import { userSettings } from './user-settings.ts'

/** Asks the installed release for its help (0.3 s on 2.1.332), and reads what a role without settings still needs of them. */
export const inspect = async (
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  launch: Launch,
  home: 'of-user' | 'of-project',
  { access, budgetUsd }: Invocation,
): Promise<Installation> => {
  if (access !== 'read-only' && budgetUsd === undefined) return { settings: {}, env: {} }
  const [own, help] = await Promise.all([
    home === 'of-user' ? userSettings(env) : { settings: {}, env: {} },
    helpOf(file, env, launch),
  ])
  return { ...own, ...(help === undefined ? {} : { words: helpWords(help) }) }
}

/** A release answers the same as long as its file is the same; one that the user updates in the middle of a run is asked again. */
const answered = new WeakMap<Launch, Map<string, string>>()

const helpOf = async (
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  launch: Launch,
): Promise<string | undefined> => {
  const known = answered.get(launch) ?? new Map<string, string>()
  const key = JSON.stringify([file, await stampOf(file)])
  const help = known.get(key) ?? (await askForHelp(file, env, launch))
  if (help !== undefined) answered.set(launch, known.set(key, help))
  return help
}

/** In an image the file is not on this machine: its release is the same as long as the run. */
const stampOf = async (file: string): Promise<readonly number[]> => {
  const found = await stat(file).catch(() => undefined)
  return found === undefined ? [] : [found.size, found.mtimeMs, found.ino]
}

const askForHelp = async (
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
