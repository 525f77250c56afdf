import { Aborted, type RunContext } from '../context.ts'
import { diffSize } from '../git/diff-size.ts'
import { askGit } from '../git/git.ts'
import { headCommit } from '../head.ts'
import type { ShellResult } from '../shell.ts'
import { gitOf, stage } from './commit.ts'

/**
 * Takes back what is not committed, after an iteration that failed: it goes into a commit under a ref of its own, and the
 * working tree goes from that commit back to HEAD by a two-tree merge, which refuses to touch a file that has changed in the
 * meantime. Commits, ignored files and `.loop/` stay (§3.11).
 */
export const rollBack = async (context: RunContext): Promise<void> => {
  const { state, record, project, abort, run } = context
  const { iteration } = state()
  const git = await gitOf(context)
  const must = async (args: readonly string[]): Promise<string> => {
    const done: ShellResult = await git(args)
    if (abort.aborted) throw new Aborted()
    if (done.exit !== 0) throw new NotPossible(`git ${args[0]}: ${done.output.trim()}`)
    return done.output.trim()
  }
  const ref = `refs/yoke/rollback/${run.id}/${iteration}`
  try {
    const head = await headCommit(project)
    if (head === null) throw new NotPossible('there is no commit to go back to')
    const added = await stage(context, git)
    if (added.exit !== 0) throw new NotPossible(`git add: ${added.output.trim()}`)
    const tree = await must(['write-tree'])
    if (tree !== (await askGit(project, ['rev-parse', `${head}^{tree}`]))) {
      const message = `What iteration ${iteration} of the run ${run.id} left, taken back because it failed`
      const commit = await must(['commit-tree', '--no-gpg-sign', '-p', head, '-m', message, tree])
      await must(['update-ref', ref, commit])
      await must(['read-tree', '-m', '-u', commit, head])
    }
    // A run that was killed in the middle finds the ref of its first try.
    const kept = await askGit(project, ['rev-parse', '--verify', '--quiet', ref])
    if (kept === undefined) throw new NotPossible('nothing has changed')
    record({ type: 'rollback.done', iteration, ref, commit: kept, ...(await diffSize(project, head, kept)) })
  } catch (error) {
    if (!(error instanceof NotPossible)) throw error
    record({ type: 'rollback.skipped', iteration, reason: error.message })
  }
}

/** Git refuses, or there is nothing to do: the changes stay. */
class NotPossible extends Error {}
