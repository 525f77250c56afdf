import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { readProgress } from './progress.ts'

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

/** The release of the commit that is checked out; an address that a release in its folder was begun with stays. */
export const thisRelease = async (given: string | undefined): Promise<Release> => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const folder = join(root, 'dist', 'release', version)
  const url = given ?? (await readProgress(folder))?.url
  return {
    version,
    commit: await git('rev-parse', 'HEAD'),
    epoch: Number(await git('log', '-1', '--format=%ct')),
    folder,
    binaries: join(folder, 'bin'),
    ...(url === undefined ? {} : { url: url.replace(/\/$/, '') }),
  }
}

/** The files that are not committed. */
export const uncommitted = async (): Promise<readonly string[]> =>
  (await $({ cwd: root, quiet: true })`git status --porcelain -z`).stdout
    .split('\0')
    // The old name of a file that was renamed stands alone.
    .flatMap((line) => (/^.. /.test(line) ? [line.slice(3)] : []))

/** The commit that the tag of a version names; undefined without one. */
export const commitOfTag = async (version: string): Promise<string | undefined> => {
  const tag = `refs/tags/v${version}^{commit}`
  const { exitCode, stdout } = await $({
    cwd: root,
    quiet: true,
    nothrow: true,
  })`git rev-parse --verify --quiet ${tag}`
  return exitCode === 0 ? stdout.trim() : undefined
}
