import { execFile } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
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
  const [repository, more] = await Promise.all([
    repositoryBeside(project),
    Promise.all(wanted.map(wantedMount)),
  ])
  return mountList(project, repository, more)
}

/** In their order: a later mount may lie in an earlier one. */
export const mountList = (
  project: string,
  repository: string | undefined,
  more: readonly Mount[],
): readonly Mount[] => [same(project), ...(repository === undefined ? [] : [same(repository)]), ...more]

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

/** The folder of the main repository, when the project is one of its worktrees and so keeps its history there. */
const repositoryBeside = async (project: string): Promise<string | undefined> => {
  const common = await promisify(execFile)('git', ['-C', project, 'rev-parse', '--git-common-dir']).then(
    ({ stdout }) => resolve(project, stdout.trim()),
    () => undefined,
  )
  if (common === undefined || common === project || common.startsWith(`${project}${sep}`)) return undefined
  return (await stat(common)).isDirectory() ? dirname(common) : undefined
}
