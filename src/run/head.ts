import { askGit } from './git/git.ts'

/** The commit that is checked out; `null` without git or before the first commit. */
export const headCommit = async (project: string): Promise<string | null> =>
  (await askGit(project, ['rev-parse', '--verify', '--quiet', 'HEAD'])) ?? null
