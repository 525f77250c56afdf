import { relative, sep } from 'node:path'
import { exitCode, YokeError } from '../../errors.ts'
import type { Directives } from '../../task/directives.ts'
import { headCommit } from '../head.ts'
import { askGit, type GitError, readGit, saidBy } from './git.ts'

/** How commits are made in a run, once everything that the directives leave open is decided. */
export type Checkpoints = {
  readonly commit: NonNullable<Directives['commit']>
  /** Why none are made, although one would expect it. */
  readonly warning?: string
}

const refuse = (code: `E_${string}`, what: string, fix: string): YokeError =>
  new YokeError(code, what, fix, exitCode.usage)

/**
 * Decides about the commits of a run that begins, and looks at all that they stand on: a repository, a branch, a name to commit
 * under, and a working tree in which everything that changes is the run's own. Changes nothing. Throws `E_NO_GIT`, `E_GIT_DETACHED`,
 * `E_GIT_IDENTITY`, `E_DIRTY_TREE`, `E_NO_COMMIT` or `E_BAD_DIRECTIVE`, exit code 2.
 */
export const requireCheckpoints = async (
  project: string,
  directives: Directives,
  taskFile: string,
): Promise<Checkpoints> => {
  const { commit, branch } = directives
  const top = await askGit(project, ['rev-parse', '--show-toplevel'])
  if (top === undefined) {
    if (branch === undefined && (commit === undefined || commit === 'off'))
      return { commit: requireEach('off', directives) }
    throw refuse(
      'E_NO_GIT',
      `${project} is not in a git repository, so there is nothing to commit to.`,
      'Make one with `git init`, or take `commit` and `branch` out.',
    )
  }
  const head = branch ?? (await presentBranch(project))
  const changed = await ownChanges(project, taskFile)
  if (commit === undefined) {
    const isYokes = head !== undefined && (branch !== undefined || head.startsWith('yoke/'))
    if (!isYokes || changed.length > 0 || (await identityProblem(project)) !== undefined)
      return {
        commit: requireEach('off', directives),
        ...(isYokes ? { warning: `No commits are made: ${await whyNot(project, changed)}.` } : {}),
      }
    return { commit: requireEach('each', directives) }
  }
  if (commit === 'off') return { commit: requireEach('off', directives) }
  if (head === undefined)
    throw refuse(
      'E_GIT_DETACHED',
      'No branch is checked out, so commits would belong to none.',
      'Name one with `--branch`, or check one out.',
    )
  const problem = await identityProblem(project)
  if (problem !== undefined) throw problem
  if (changed.length > 0)
    throw refuse(
      'E_DIRTY_TREE',
      `There are changes that are not committed (${few(changed)}); yoke would commit them as its own.`,
      'Commit or stash them, or take `commit` out.',
    )
  if (directives['on-failure'] === 'rollback' && (await headCommit(project)) === null)
    throw refuse(
      'E_NO_COMMIT',
      'The repository has no commit yet that could be gone back to.',
      'Make a first commit, or take `on-failure` out.',
    )
  return { commit: requireEach(commit, directives) }
}

const requireEach = (commit: Checkpoints['commit'], directives: Directives): Checkpoints['commit'] => {
  if (directives['on-failure'] === 'rollback' && commit !== 'each')
    throw refuse(
      'E_BAD_DIRECTIVE',
      `\`on-failure: rollback\` has no effect without \`commit: each\`, and here \`commit\` is ${commit}.`,
      'Set `commit: each`, or take `on-failure` out.',
    )
  return commit
}

const whyNot = async (project: string, changed: readonly string[]): Promise<string> =>
  changed.length > 0
    ? `there are changes that are not committed yet (${few(changed)})`
    : ((await identityProblem(project))?.message.replace(/\.$/, '') ?? '')

const few = (paths: readonly string[]): string =>
  paths.slice(0, 3).join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '')

const identityProblem = async (project: string): Promise<YokeError | undefined> =>
  (await askGit(project, ['var', 'GIT_COMMITTER_IDENT'])) === undefined
    ? refuse(
        'E_GIT_IDENTITY',
        'git does not know under which name to commit.',
        'Set it with `git config user.name` and `git config user.email`.',
      )
    : undefined

/** Changed files that a commit of the run would take along: those of the project, and what is staged anywhere. */
const ownChanges = async (project: string, taskFile: string): Promise<readonly string[]> => {
  const [status, staged] = await Promise.all([
    list(project, [
      ...['status', '--porcelain', '-z', '--untracked-files=normal', '--no-renames'],
      ...['--', '.', ':(exclude).loop', ...withoutFile(project, taskFile)],
    ]),
    list(project, ['diff', '--cached', '--name-only', '-z', '--no-renames', '--no-ext-diff']),
  ])
  return [
    ...new Set([
      ...status.map((entry) => entry.slice(3)),
      ...staged.filter((path) => !/(?:^|\/)\.loop\//.test(path)),
    ]),
  ]
}

const list = (project: string, args: readonly string[]): Promise<readonly string[]> =>
  readGit(project, args).then(fields, (error: GitError) => {
    throw refuse('E_GIT', `git ${args[0]} fails: ${saidBy(error)}`, 'Do what git says.')
  })

export const fields = (text: string): readonly string[] => text.split('\0').filter((each) => each !== '')

/** A pathspec that leaves a file out, whatever its name holds; none for a file elsewhere. */
export const withoutFile = (project: string, file: string): readonly string[] => {
  const path = relative(project, file).split(sep).join('/')
  return path === '' || path.startsWith('../') ? [] : [`:(exclude,literal)${path}`]
}

/**
 * A run that goes on works on the branch that it began on; and if it is to commit from now on (then `taskFile` is given), on
 * changes of its own. Throws `E_BRANCH`, or as `requireCheckpoints`.
 */
export const requireSameBranch = async (
  project: string,
  directives: Directives,
  taskFile: string | undefined,
): Promise<void> => {
  const { branch, commit = 'off' } = directives
  if (taskFile !== undefined && commit !== 'off') await requireCheckpoints(project, directives, taskFile)
  const present = await presentBranch(project)
  if (branch !== undefined && branch !== present)
    throw refuse(
      'E_BRANCH',
      `The run works on the branch ${branch}, and ${present ?? 'none'} is checked out.`,
      `Run \`git switch ${branch}\`, then \`yoke resume\`.`,
    )
}

/** The branch that is checked out; undefined when there is none. */
export const presentBranch = (project: string): Promise<string | undefined> =>
  askGit(project, ['symbolic-ref', '--quiet', '--short', 'HEAD'])

/** Checks the branch of a run out, or makes it. Throws `E_BRANCH`, exit code 2: git keeps changes that are in its way. */
export const switchToBranch = async (project: string, branch: string): Promise<void> => {
  if ((await presentBranch(project)) === branch) return
  const isThere =
    (await askGit(project, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])) !== undefined
  const args = isThere ? ['switch', '--quiet', branch] : ['switch', '--quiet', '--create', branch]
  await readGit(project, args).catch((error: GitError) => {
    throw refuse(
      'E_BRANCH',
      `git cannot switch to the branch ${branch}: ${saidBy(error)}`,
      'Do what git says, or name another branch.',
    )
  })
}
