import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { compareVersions } from '../../drift/version.ts'
import { installedVersion } from '../installed-version.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Whether a release mostly ends well before it has reported its last answer: a turn that is over then looks like one that was cut off. */
export const losesItsEnd = (version: string): boolean =>
  compareVersions(version, '1.15.0') >= 0 && compareVersions(version, '1.15.13') <= 0

/** What is wrong with the installed release, in a sentence; undefined when nothing is known. */
export const brokenRelease = async (file: string, env: Env): Promise<string | undefined> => {
  const version = (await packaged(file)) ?? (await installedVersion(file, env))
  return version !== undefined && losesItsEnd(version)
    ? `OpenCode ${version} mostly ends before it has reported its last answer: no run can work with it.`
    : undefined
}

const PackageSchema = v.object({ name: v.literal('opencode-ai'), version: v.string() })

/** What the package says that npm put the program into: that costs nothing, where the program takes half a second. */
const packaged = async (file: string): Promise<string | undefined> => {
  try {
    const manifest = join(dirname(await realpath(file)), '..', 'package.json')
    return v.parse(PackageSchema, JSON.parse(await readFile(manifest, 'utf8'))).version
  } catch {
    return undefined
  }
}
