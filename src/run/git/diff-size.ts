import { readGit } from './git.ts'
import { fields } from './repository.ts'

export type DiffSize = { readonly files: number; readonly insertions: number; readonly deletions: number }

/** The tree of a repository without a file, which git knows everywhere. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** How much lies between two commits; `null` is the time before the first one. */
export const diffSize = async (project: string, from: string | null, to: string): Promise<DiffSize> => {
  const text = await readGit(project, [
    ...['diff', '--numstat', '-z', '--no-renames', '--no-ext-diff', '--no-textconv'],
    ...[from ?? emptyTree, to],
  ])
  const rows = fields(text).map((row) => row.split('\t'))
  // A binary file has `-` for both figures.
  const sum = (column: number) => rows.reduce((all, row) => all + (Number(row[column]) || 0), 0)
  return { files: rows.length, insertions: sum(0), deletions: sum(1) }
}
