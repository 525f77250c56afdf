import { readFile, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'
import { exitCode, YokeError } from '../../errors.ts'
import { atomicWrite } from '../../system/atomic-write.ts'
import { fileFormat, readableFormat } from '../../system/file-format.ts'
import { branch as branchName } from '../../task/values.ts'
import { type LoopFolder, listRuns, loopFolder } from '../folder.ts'
import { headCommit } from '../head.ts'
import { openRun, type StoredRun } from '../open-run.ts'
import { askGit, type GitError, readGit, saidBy } from './git.ts'
import { fields } from './repository.ts'

/** A worktree that yoke made for a run. */
export type Worktree = {
  /** Its top folder. */
  readonly path: string
  /** The folder in it that the run works in. */
  readonly project: string
  readonly branch: string
}

/** Beside git's own files of the worktree: it goes with them, and no worktree of the user's has one. */
const markerName = 'yoke.json'

const MarkerSchema = v.object({
  format: v.number(),
  /** The commit that it was made from. */
  base: v.string(),
  branch: v.string(),
  /** The branch was made with the worktree. */
  isNewBranch: v.boolean(),
})

const refuse = (code: `E_${string}`, what: string, fix: string): YokeError =>
  new YokeError(code, what, fix, exitCode.usage)

/** The repository that a project belongs to, seen from its main worktree. */
const mainOf = async (project: string): Promise<string> => {
  const [main] = await listWorktrees(project)
  if (main === undefined)
    throw refuse(
      'E_NO_GIT',
      `${project} is not in a git repository, so it can have no worktree.`,
      'Make one with `git init`, and a first commit in it.',
    )
  return main
}

/** What a worktree is made of: the repository and the commit that it begins at. Throws `E_NO_GIT`, `E_NO_COMMIT`, exit code 2. */
export const requireWorktrees = async (
  project: string,
): Promise<{ readonly main: string; readonly base: string }> => {
  const main = await mainOf(project)
  const base = await headCommit(project)
  if (base !== null) return { main, base }
  throw refuse(
    'E_NO_COMMIT',
    'The repository has no commit yet, so a worktree would be empty.',
    'Make a first commit, and start again.',
  )
}

/** The top folders of all worktrees of the repository, the main one first; none without git. */
export const listWorktrees = async (project: string): Promise<readonly string[]> => {
  const args = ['worktree', 'list', '--porcelain']
  // Git before 2.36 knows no -z, and names a path with a line end in quotes.
  const text =
    (await askGit(project, [...args, '-z'])) ?? (await askGit(project, args))?.replaceAll('\n', '\0')
  return fields(text ?? '').flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []))
}

/** The folders in which the project has its place in each worktree of the repository. */
export const projectPlaces = async (project: string): Promise<readonly string[]> => {
  const prefix = (await askGit(project, ['rev-parse', '--show-prefix'])) ?? ''
  return (await listWorktrees(project)).map((top) => placeIn(top, prefix))
}

/** `prefix` as git prints it: `packages/a/`, or nothing at the top. */
const placeIn = (top: string, prefix: string): string => join(top, prefix).replace(/[\\/]$/, '')

/** A name for a worktree after the task's file: `My task.md` gives `my-task`. */
export const worktreeName = (taskFile: string): string =>
  basename(taskFile)
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'task'

type Wanted = {
  /** As the user gave it; one that is free is made of the task's name when it is left out. */
  readonly name?: string | undefined
  readonly taskFile: string
  /** `yoke/<name>` when it is left out. */
  readonly branch?: string | undefined
}

/**
 * Makes a worktree beside the repository, `<repository>.worktrees/<name>`, on a branch of its own that begins at HEAD. Throws
 * `E_NO_GIT`, `E_NO_COMMIT`, `E_WORKTREE`, exit code 2.
 */
export const addWorktree = (project: string, wanted: Wanted): Promise<Worktree> => {
  const made = newest.then(() => makeWorktree(project, wanted))
  newest = made.catch(() => undefined)
  return made
}

/** One is made at a time: two that begin together must not take the same name. */
let newest: Promise<unknown> = Promise.resolve()

const makeWorktree = async (project: string, wanted: Wanted): Promise<Worktree> => {
  const { main, base } = await requireWorktrees(project)
  const { name, branch } = await freeName(main, wanted)
  const path = join(`${main}.worktrees`, name)
  const isNewBranch =
    (await askGit(main, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])) === undefined
  await readGit(project, [
    ...['worktree', 'add', '--quiet'],
    ...(isNewBranch ? ['-b', branch, '--', path, base] : ['--', path, branch]),
  ]).catch((error: GitError) => {
    throw refuse(
      'E_WORKTREE',
      `git cannot make the worktree ${path}: ${saidBy(error)}`,
      'Do what git says, or name another one with `--worktree NAME`.',
    )
  })
  const begin = isNewBranch ? base : ((await headCommit(path)) ?? base)
  const prefix = (await askGit(project, ['rev-parse', '--show-prefix'])) ?? ''
  await atomicWrite(
    await markerOf(path),
    `${JSON.stringify({ format: fileFormat, base: begin, branch, isNewBranch })}\n`,
  )
  return { path, project: placeIn(path, prefix), branch }
}

/** A name that is neither a worktree nor a branch yet. */
const freeName = async (
  main: string,
  { name, taskFile, branch }: Wanted,
): Promise<{ readonly name: string; readonly branch: string }> => {
  if (name !== undefined) {
    if (!v.is(branchName, name) || /[/\\]/.test(name))
      throw refuse(
        'E_WORKTREE',
        `A worktree cannot be named ${JSON.stringify(name)}.`,
        'Give it a name of letters, digits, `-`, `_` and `.`.',
      )
    if (await isTaken(main, name))
      throw refuse(
        'E_WORKTREE',
        `There is a worktree or a branch of that name already: ${join(`${main}.worktrees`, name)}, yoke/${name}.`,
        'Go on there with `yoke resume`, or name another one.',
      )
    return { name, branch: branch ?? `yoke/${name}` }
  }
  const stem = worktreeName(taskFile)
  for (let count = 1; ; count += 1) {
    const each = count === 1 ? stem : `${stem}-${count}`
    if (!(await isTaken(main, each))) return { name: each, branch: branch ?? `yoke/${each}` }
  }
}

const isTaken = async (main: string, name: string): Promise<boolean> => {
  const path = join(`${main}.worktrees`, name)
  const [branch, worktrees] = await Promise.all([
    askGit(main, ['show-ref', '--verify', '--quiet', `refs/heads/yoke/${name}`]),
    listWorktrees(main),
  ])
  return branch !== undefined || worktrees.includes(path) || (await exists(path))
}

const exists = (path: string): Promise<boolean> =>
  readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )

const markerOf = async (path: string): Promise<string> =>
  join(await readGit(path, ['rev-parse', '--absolute-git-dir']).then((text) => text.trimEnd()), markerName)

/** Undefined for a worktree that yoke did not make. Throws E_NEWER_FORMAT for one of a newer yoke. */
const readMarker = async (path: string): Promise<v.InferOutput<typeof MarkerSchema> | undefined> => {
  const file = await markerOf(path).catch(() => undefined)
  if (file === undefined) return undefined
  const value: unknown = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined)
  readableFormat(value, file)
  const parsed = v.safeParse(MarkerSchema, value)
  return parsed.success ? parsed.output : undefined
}

/**
 * At the end of a run: a worktree that yoke made stays when it holds commits, or changes that are not committed, and goes
 * otherwise, with its branch. Nothing is forced: what git will not remove stays. Says what became of it; nothing of others.
 */
export const settleWorktree = async (project: string): Promise<string | undefined> => {
  const path = await askGit(project, ['rev-parse', '--show-toplevel'])
  if (path === undefined) return undefined
  const marker = await readMarker(path).catch((error: unknown) => {
    if (error instanceof YokeError) return error
    throw error
  })
  if (marker instanceof YokeError) return `The worktree ${path} stays: ${marker.message}`
  if (marker === undefined) return undefined
  const { base, branch, isNewBranch } = marker
  const [count, changed] = await Promise.all([
    askGit(path, ['rev-list', '--count', `${base}..HEAD`]),
    askGit(path, ['status', '--porcelain', '-z', '--', '.', ':(exclude,glob)**/.loop/**']),
  ])
  const kept = (why: string) => `The worktree ${path} on the branch ${branch} stays: ${why}.`
  if (count !== '0') return kept(count === '1' ? 'it has 1 commit' : `it has ${count ?? 'some'} commits`)
  if (changed !== '') return kept('it has changes that are not committed')
  const main = await mainOf(path)
  // Files that are ignored now are in the way, too, once the `.gitignore` among them is gone.
  const ours = await readGit(path, ['ls-files', '--others', '-z', '--', ':(glob)**/.loop/**'])
  for (const file of fields(ours)) await rm(join(path, file), { force: true, recursive: true })
  const problem = await readGit(main, ['worktree', 'remove', '--', path]).then(() => undefined, saidBy)
  if (problem !== undefined) return kept(problem)
  // It goes only if it still is where it began.
  if (isNewBranch) await askGit(main, ['update-ref', '-d', `refs/heads/${branch}`, base])
  await rmdir(dirname(path)).catch(() => undefined)
  return `The worktree ${path} is gone again, and the run with it: it has committed nothing. To try once more, start it anew.`
}

/** Where a run lies: in this project, or in its place in another worktree of the repository; here when it is nowhere. */
export const projectOfRun = async (project: string, wanted: string | undefined): Promise<string> => {
  const has = async (place: string) =>
    (await listRuns(loopFolder(place))).some((id) => wanted !== undefined && id.startsWith(wanted))
  if (wanted === undefined || (await has(project))) return project
  for (const place of await projectPlaces(project)) if (await has(place)) return place
  return project
}

/** The folder in which a run lies, wherever in the repository that is; this project's when none is named. */
export const loopOfRun = async (wanted: string | undefined): Promise<LoopFolder> =>
  loopFolder(await projectOfRun(process.cwd(), wanted))

/** Opens a run by its id wherever in the repository it lies; the newest one of this project when none is named. */
export const openNamedRun = async (given: unknown): Promise<StoredRun> => {
  const wanted = given === undefined ? undefined : String(given)
  return openRun(await loopOfRun(wanted), wanted)
}
