import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'

export const root = join(import.meta.dirname, '..', '..')

/** What a release is made of and where it goes. */
export type Release = {
  readonly version: string
  readonly commit: string
  /** Of the commit, in seconds since 1970: everything that carries a time carries this one, so that the bytes are the same twice. */
  readonly epoch: number
  /** `dist/release/VERSION`. */
  readonly folder: string
  /** The binaries, by target. */
  readonly binaries: string
  /** Where people will find the files; the install scripts have it as their default. */
  readonly url?: string
}

const git = async (...args: readonly string[]) =>
  (await $({ cwd: root, quiet: true })`git ${args}`).stdout.trim()

export const thisRelease = async (url: string | undefined): Promise<Release> => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const folder = join(root, 'dist', 'release', version)
  return {
    version,
    commit: await git('rev-parse', 'HEAD'),
    epoch: Number(await git('log', '-1', '--format=%ct')),
    folder,
    binaries: join(folder, 'bin'),
    ...(url === undefined ? {} : { url: url.replace(/\/$/, '') }),
  }
}

/** What is not committed; a release is made of commits only. */
export const uncommitted = () => git('status', '--porcelain')
