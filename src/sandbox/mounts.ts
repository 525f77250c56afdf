import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { YokeError } from '../errors.ts'

/** A folder or file of the host in the container. */
export type Mount = { readonly source: string; readonly target: string; readonly readonly: boolean }

type Wanted = { readonly source: string; readonly target?: string; readonly readonly: boolean }

/**
 * What the container sees of the host: the project at the path that it has on the host, so that sessions are found on both
 * sides; of a git worktree also the main repository; and what `mounts` names. Throws `E_MOUNT`, exit code 2.
 */
export const mountsFor = async (project: string, wanted: readonly Wanted[]): Promise<readonly Mount[]> => {
  const more = await Promise.all(wanted.map(wantedMount))
  return mountList(project, await gitFoldersBeside(project, more), more)
}

/** In their order: a later mount may lie in an earlier one. */
export const mountList = (
  project: string,
  beside: readonly string[],
  more: readonly Mount[],
): readonly Mount[] => [...[project, ...beside].map(same), ...more]

const same = (path: string): Mount => ({ source: path, target: path, readonly: false })

const wantedMount = async ({ source, target, readonly }: Wanted): Promise<Mount> => {
  const found = await realpath(source).catch(() => undefined)
  if (found === undefined)
    throw new YokeError(
      'E_MOUNT',
      `There is nothing at ${source} that could be mounted.`,
      'Correct `mounts`.',
      2,
    )
  return { source: found, target: target ?? source, readonly }
}

/**
 * The repository that keeps the history of the project, when that is outside of it: the project is a worktree, a submodule or a
 * folder of it; with a folder of a worktree, also the worktree. It must name the project itself: a worker can write what the project says, and would have any repository mounted.
 */
const gitFoldersBeside = async (project: string, wanted: readonly Mount[]): Promise<readonly string[]> => {
  const paths = await gitPaths(project)
  if (paths === undefined) return []
  const { common, top } = paths
  if (lies(common, project) || wanted.some(({ source }) => lies(common, source))) return []
  if (!(await names(paths)))
    throw new YokeError(
      'E_MOUNT',
      `The history of this project is in ${common}, which does not name the project as its own.`,
      `When it is the right one, run \`git worktree repair\`, or add it to \`mounts\`: ${common}`,
      2,
    )
  const repository = basename(common) === '.git' ? dirname(common) : common
  // In a folder of a worktree, git is found by a file at the worktree's top.
  return top === project || lies(top, repository) ? [repository] : [repository, top]
}

const lies = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}${sep}`)

type GitPaths = { readonly common: string; readonly own: string; readonly top: string }

/** Absolute, without symbolic links; undefined without a repository. */
const gitPaths = async (project: string): Promise<GitPaths | undefined> => {
  const asked = ['--git-common-dir', '--git-dir', '--show-toplevel'].map((what) =>
    git(project, 'rev-parse', what).then((path) => realpath(resolve(project, path))),
  )
  const [common, own, top] = await Promise.all(asked).catch(() => [])
  return common === undefined || own === undefined || top === undefined ? undefined : { common, own, top }
}

/** Whether the repository says that this is its working tree. */
const names = async ({ common, own, top }: GitPaths): Promise<boolean> => {
  if (common === join(top, '.git')) return true
  if (own === common) {
    const tree = await git(own, 'config', '--file', 'config', 'core.worktree').catch(() => undefined)
    return tree !== undefined && resolve(own, tree) === top
  }
  const link = await readFile(join(own, 'gitdir'), 'utf8').catch(() => '')
  return dirname(own) === join(common, 'worktrees') && resolve(own, link.trim()) === join(top, '.git')
}

const git = (cwd: string, ...args: readonly string[]): Promise<string> =>
  promisify(execFile)('git', args, { cwd }).then(({ stdout }) => stdout.replace(/\n$/, ''))
