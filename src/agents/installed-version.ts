import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The release that a program of an agent names; undefined when it does not say. */
export const installedVersion = async (
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> => {
  try {
    const { stdout } = await promisify(execFile)(file, ['--version'], { env: { ...env }, timeout: 60_000 })
    return versionIn(stdout)
  } catch {
    return undefined
  }
}

export const versionIn = (output: string): string | undefined => /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(output)?.[0]
