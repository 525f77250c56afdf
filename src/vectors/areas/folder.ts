import { execFileSync } from 'node:child_process'
import * as v from 'valibot'
import { parseNotes } from '../../loop/notes.ts'
import { createRunFolder, ensureLoopFolder, loopFolder, readNotes, runFolder } from '../../run/folder.ts'
import { readJournal } from '../../run/journal.ts'
import { extendLineage } from '../../run/lineage.ts'
import { readPrompts } from '../../run/open-run.ts'
import { loadTask } from '../../task/load.ts'
import { area } from '../area.ts'
import { inPlace, type Place } from '../place.ts'

const InGit = v.strictObject({
  /** Below `.loop/`. */
  path: v.string(),
})
const Notes = v.strictObject({
  /** The text of `.loop/notes.md`; null when there is no such file. */
  notes: v.nullable(v.string()),
})
const Sessions = v.strictObject({
  /** The text of `events.jsonl`. */
  events: v.string(),
})
const LaterEdits = v.strictObject({
  /** Files of the project when the run starts; `task.md` is the task. */
  files: v.record(v.string(), v.string()),
  /** What they are changed to while the run is under way. */
  later: v.record(v.string(), v.string()),
})

/** What lies in `.loop/`, and what becomes of it (§5.1, §5.2, §3.8). */
export const folder = area(
  v.union([InGit, Notes, Sessions, LaterEdits]),
  v.union([
    v.strictObject({ inGit: v.boolean() }),
    v.strictObject({ keep: v.nullable(v.array(v.string())), reset: v.boolean() }),
    v.strictObject({
      /** `sessions.json`: role -> its sessions, the oldest first. */
      sessions: v.record(
        v.string(),
        v.array(
          v.strictObject({
            id: v.string(),
            stale: v.exactOptional(v.string()),
            forked: v.exactOptional(v.string()),
          }),
        ),
      ),
    }),
    v.strictObject({
      /** The task that the run goes on with. */
      task: v.string(),
      /** The prompts of its periodics, in their order. */
      periodics: v.array(v.string()),
    }),
  ]),
  (input) =>
    inPlace(async (place) => {
      if ('path' in input) return isInGit(place, input.path)
      if ('notes' in input) return notesOf(place, input.notes)
      if ('events' in input) return sessionsOf(place, input.events)
      return afterEdits(place, input)
    }),
)

const isInGit = async ({ project, write }: Place, path: string) => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: 'pipe' })
  git('init', '--quiet')
  await ensureLoopFolder(loopFolder(project))
  await write(`p/.loop/${path}`, 'x')
  const seen = git('status', '--porcelain', '--untracked-files=all', '--', `.loop/${path}`)
  return { inGit: seen.includes(path) }
}

const notesOf = async ({ project, write }: Place, text: string | null) => {
  if (text !== null) await write('p/.loop/notes.md', text)
  const { keep, reset } = parseNotes(readNotes(loopFolder(project).notes))
  return { keep: keep === undefined ? null : [...keep], reset }
}

const sessionsOf = async ({ write }: Place, events: string) => {
  const lineage = readJournal(await write('events.jsonl', events)).reduce(extendLineage, {})
  return {
    sessions: Object.fromEntries(
      Object.entries(lineage).map(([role, all]) => [role, all.map((each) => ({ ...each }))]),
    ),
  }
}

const afterEdits = async (
  { folder: home, project, write }: Place,
  { files, later }: v.InferOutput<typeof LaterEdits>,
) => {
  for (const [name, text] of Object.entries(files)) await write(`p/${name}`, text)
  const loop = loopFolder(project)
  const started = await loadTask({
    file: 'task.md',
    cwd: project,
    flags: {},
    env: { HOME: home, XDG_CONFIG_HOME: home },
  })
  const run = runFolder(loop, '20261201-090000-aaaa')
  await ensureLoopFolder(loop)
  await createRunFolder(run, { task: started.prompt })
  for (const [name, text] of Object.entries(later)) await write(`p/${name}`, text)
  return {
    task: (await readPrompts(run)).task,
    periodics: started.directives.periodics.map(({ prompt = '' }) => prompt),
  }
}
