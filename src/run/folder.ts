import { access, constants, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Role } from '../agents/agent.ts'
import { YokeError } from '../errors.ts'
import { atomicWrite } from '../system/atomic-write.ts'
import { errnoOf } from '../system/errno.ts'
import { readIfThere } from '../system/read-if-there.ts'

/** Where everything of one project lies (§5.1). */
export type LoopFolder = {
  readonly root: string
  readonly notes: string
  readonly sagaLog: string
  readonly lock: string
  readonly config: string
  readonly runs: string
}

/** Where everything of one run lies (§5.2). */
export type RunFolder = {
  readonly id: string
  readonly root: string
  readonly task: string
  /** The user's own words for the judge, when there are any. */
  readonly judge: string
  /** The project's own instructions, when there are any. */
  readonly instructions: string
  readonly events: string
  readonly state: string
  readonly sessions: string
  readonly backups: string
  /** What people tell the run from outside. */
  readonly inbox: string
}

export const loopFolder = (project: string): LoopFolder => {
  const root = join(project, '.loop')
  return {
    root,
    notes: join(root, 'notes.md'),
    sagaLog: join(root, 'saga-log.md'),
    lock: join(root, 'lock'),
    config: join(root, 'config.yaml'),
    runs: join(root, 'runs'),
  }
}

export const runFolder = (loop: LoopFolder, id: string): RunFolder => {
  const root = join(loop.runs, id)
  return {
    id,
    root,
    task: join(root, 'task.md'),
    judge: join(root, 'judge.md'),
    instructions: join(root, 'instructions.md'),
    events: join(root, 'events.jsonl'),
    state: join(root, 'state.json'),
    sessions: join(root, 'sessions.json'),
    backups: join(root, 'backups'),
    inbox: join(root, 'inbox'),
  }
}

export const iterationFolder = (run: RunFolder, iteration: number): string =>
  join(run.root, 'iterations', String(iteration))

/** Where the scoper's part of a cycle lies. */
export const cycleFolder = (run: RunFolder, cycle: number): string => join(run.root, 'cycles', String(cycle))

/** How the files of a role begin in the folder of an iteration. */
export const fileStem = (role: Role): string => role.replace(':', '-')

/** What a start of an agent leaves. A later attempt in the same iteration gets files of its own: the evidence of the first one stays. */
export const agentFiles = (folder: string, role: Role, attempt: number) => {
  const stem = join(folder, `${fileStem(role)}${attempt === 1 ? '' : `-${attempt}`}`)
  return { prompt: `${stem}.prompt.md`, stream: `${stem}.stream.jsonl`, stderr: `${stem}.stderr.log` }
}

/** Where a role writes what it wants to know in its next turn. */
export const notesOf = (loop: LoopFolder, role: Role): string =>
  role === 'worker' ? loop.notes : join(loop.root, `notes.${role.replace('periodic:', '')}.md`)

/** Sorts by start: `20261201-093508-4f2a`. */
export const newRunId = (now: Date, random: string): string =>
  `${now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}-${random.slice(0, 4)}`

const ignored = `# Written by yoke: notes and logs are worth keeping in git, the rest is not.
*
!.gitignore
!notes*.md
!saga-log.md
!config.yaml
`

/** Makes `.loop/` with its `.gitignore`. Throws E_NOT_WRITABLE before anything else is touched. */
export const ensureLoopFolder = async (loop: LoopFolder): Promise<void> => {
  try {
    await mkdir(loop.runs, { recursive: true })
    await access(loop.root, constants.W_OK)
    await writeFile(join(loop.root, '.gitignore'), ignored, { flag: 'wx' }).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  } catch (error) {
    throw notWritable(loop.root, error)
  }
}

export type Prompts = { readonly task: string; readonly judge?: string; readonly instructions?: string }

/** Makes the folder of a new run, with copies of its prompts: what it began with is known whatever becomes of the files. */
export const createRunFolder = async (
  run: RunFolder,
  { task, judge, instructions }: Prompts,
): Promise<void> => {
  try {
    await mkdir(dirname(run.root), { recursive: true })
    await mkdir(run.root)
    await atomicWrite(run.task, task)
    if (judge !== undefined) await atomicWrite(run.judge, judge)
    if (instructions !== undefined) await atomicWrite(run.instructions, instructions)
  } catch (error) {
    throw notWritable(run.root, error)
  }
}

/** Ids of the runs of a project, oldest first. */
export const listRuns = async (loop: LoopFolder): Promise<readonly string[]> => {
  const names = await readdir(loop.runs).catch(() => [])
  return names.filter((name) => /^\d{8}-\d{6}-/.test(name)).sort()
}

/** The notes as they are on the disk; missing notes are empty notes. */
export const readNotes = (file: string): string => {
  try {
    return readIfThere(file)?.toString('utf8') ?? ''
  } catch (error) {
    throw new YokeError(
      'E_NOTES_UNREADABLE',
      `The notes ${file} cannot be read (${errnoOf(error)}).`,
      'Make the file readable.',
    )
  }
}

const notWritable = (path: string, error: unknown): YokeError => {
  const cause = errnoOf(error) ?? String(error)
  return new YokeError(
    'E_NOT_WRITABLE',
    `yoke cannot write to ${path} (${cause}).`,
    'Make the project folder writable and see that the disk has room.',
  )
}
