import { askGit, type Git } from './git.ts'

/** A signature that takes longer waits for a person. */
export const signingMs = 10_000

/**
 * Arguments for a commit that is to be signed if the user wants that and it can be done without a question: a passphrase that
 * nobody types would hold the run up for ever. Tried on a commit that belongs to no branch, before each commit, since an agent
 * forgets passphrases. `problem` says why there is no signature.
 */
export const signingArguments = async (
  git: Git,
  project: string,
  { isInImage, timeoutMs }: { readonly isInImage: boolean; readonly timeoutMs: number },
): Promise<{ readonly args: readonly string[]; readonly problem?: string }> => {
  if ((await askGit(project, ['config', '--type=bool', '--get', 'commit.gpgsign'])) !== 'true')
    return { args: [] }
  const unsigned = (problem: string) => ({ args: ['--no-gpg-sign'], problem })
  if (isInImage) return unsigned('the keys are not in the image')
  const tree = await git(['write-tree'])
  const probe =
    tree.exit === 0
      ? await git(['commit-tree', '-S', '-m', 'yoke: can this be signed?', tree.output.trim()], {
          timeoutMs,
        })
      : tree
  if (probe.exit === 0) return { args: [] }
  return unsigned(
    probe.exit === null
      ? 'signing waits for somebody to answer'
      : probe.output.trim().split('\n').at(-1) || 'signing fails',
  )
}
