import { commitMessage } from '../../loop/checkpoint.ts'
import { taskOf } from '../../loop/run.ts'
import { Aborted, type RunContext } from '../context.ts'
import { diffSize } from '../git/diff-size.ts'
import { askGit, type Git, gitFor } from '../git/git.ts'
import { presentBranch, withoutFile } from '../git/repository.ts'
import { signingArguments, signingMs } from '../git/signing.ts'
import { headCommit } from '../head.ts'
import type { ShellResult } from '../shell.ts'

/** A hook may run tests; one that hangs must not hold the run up for ever. */
const longestMs = 30 * 60_000

/**
 * Commits what the worker did, with the hooks of the repository. What git refuses is a failed check: the worker can mend it (§3.11).
 * Commits that the worker made itself are recorded all the same.
 */
export const commit = async (context: RunContext, timeoutMs = signingMs): Promise<void> => {
  const { state, record, project, abort, now } = context
  const { iteration, commit: from = null, phase } = state()
  const git = await gitOf(context)
  const began = now()
  const { subject, message } = commitMessage(state(), {
    run: context.run.id,
    task: taskOf(context.progress(), context.task),
  })
  const failed = await refusal(context, git, { message, timeoutMs })
  if (abort.aborted) throw new Aborted()
  // The one that was taken while the judge was at work is of the time before the commit.
  if (phase.at === 'commit') context.fingerprint.begin()
  if (failed !== undefined)
    return record({ type: 'check.failed', iteration, ...failed, durationMs: now() - began })
  const head = await headCommit(project)
  if (head === null || head === from)
    return record({ type: 'commit.skipped', iteration, reason: 'nothing has changed' })
  const made = (await askGit(project, ['log', '-1', '--format=%s', head])) ?? subject
  record({
    type: 'commit.made',
    iteration,
    from,
    commit: head,
    subject: made,
    ...(await diffSize(project, from, head)),
  })
}

/** Git where the hooks of this run belong. */
export const gitOf = ({ project, env, abort, place, directives }: RunContext): Promise<Git> =>
  gitFor({
    cwd: project,
    env,
    signal: abort,
    timeoutMs: directives['iteration-timeout'] ?? longestMs,
    place: directives['checks-in'] === 'host' ? undefined : place,
  })

type Refusal = { readonly command: string; readonly exit: number | null; readonly output: string }

/** Stages everything and commits it; what git says when it does not do so. */
const refusal = async (
  context: RunContext,
  git: Git,
  { message, timeoutMs }: { readonly message: string; readonly timeoutMs: number },
): Promise<Refusal | undefined> => {
  const { project, directives, record } = context
  const said = (command: string, { exit, output }: ShellResult): Refusal => ({ command, exit, output })
  const { branch } = directives
  const present = await presentBranch(project)
  if (present === undefined || (branch !== undefined && branch !== present))
    return {
      command: 'git commit',
      exit: 1,
      output: `${present === undefined ? 'No branch' : `The branch ${present}`} is checked out${branch === undefined ? '' : `, and ${branch} is the one to work on`}. Check the branch out again.`,
    }
  const added = await stage(context, git)
  if (added.exit !== 0) return said('git add', added)
  const isAllCommitted = async () => (await git(['diff', '--cached', '--quiet', '--no-ext-diff'])).exit === 0
  if (await isAllCommitted()) return undefined
  const isInImage = context.place !== undefined && directives['checks-in'] !== 'host'
  const signing = await signingArguments(git, project, { isInImage, timeoutMs })
  if (signing.problem !== undefined)
    record({
      type: 'warning',
      code: 'W_UNSIGNED',
      message: `The commit is not signed: ${signing.problem}.`,
    })
  const done = await git(['commit', '--quiet', '--cleanup=whitespace', '--file=-', ...signing.args], {
    stdin: message,
  })
  // A git that outlived a killed yoke may have been faster.
  return done.exit === 0 || (await isAllCommitted()) ? undefined : said('git commit', done)
}

/** Everything of the project but what is yoke's, and a task file that is not in the repository. */
export const stage = async ({ project, taskFile }: RunContext, git: Git): Promise<ShellResult> => {
  const ours = [':(exclude).loop', ...(await untracked(project, taskFile))]
  // Git complains of an excluded path that it ignores anyway.
  const kept = await Promise.all(
    ours.map(async (spec) => {
      const path = spec.replace(/^:\([^)]*\)/, '')
      return (await askGit(project, ['check-ignore', '--quiet', '--', `./${path}`])) === undefined
    }),
  )
  return git(['add', '--all', '--', '.', ...ours.filter((_, index) => kept[index])])
}

const untracked = async (project: string, taskFile: string): Promise<readonly string[]> => {
  const specs = withoutFile(project, taskFile)
  const path = specs[0]?.replace(':(exclude,literal)', ':(literal)')
  return path === undefined ||
    (await askGit(project, ['ls-files', '--error-unmatch', '--', path])) !== undefined
    ? []
    : specs
}
