import { join } from 'node:path'
import type { NewEvent, RunEvent } from '../../../src/events.ts'
import { reduce } from '../../../src/loop/reduce.ts'
import type { RunContext } from '../../../src/run/context.ts'
import { loopFolder, runFolder } from '../../../src/run/folder.ts'
import { headCommit } from '../../../src/run/head.ts'
import { after, finished, iteration, notes, opened } from '../../helpers/events.ts'
import { put } from '../../helpers/repository.ts'
import { begin } from '../../helpers/run.ts'

export const runId = '20261202-230000-abcd'

type Given = {
  readonly directives?: Readonly<Record<string, unknown>>
  readonly task?: string
  readonly words?: { readonly subject: string; readonly body: string }
  readonly taskFile?: string
  readonly more?: readonly NewEvent[]
}

/** The first iteration of a run in a repository, up to behind its checks. What the steps record comes to `events`. */
export const behindChecks = async (
  project: string,
  { directives = { commit: 'each' }, task = 'Do it.', words, taskFile, more = [] }: Given = {},
) => {
  put(project, { '.loop/.gitignore': '*\n!.gitignore\n!notes*.md\n', '.loop/notes.md': 'KEEP: none\n' })
  const loop = loopFolder(project)
  let state = after(
    [
      { ...begin, kind: 'brute', commit: await headCommit(project) },
      iteration(1),
      opened('s1'),
      finished('ok', { session: 's1' }),
      { ...notes(['a.txt']), ...(words === undefined ? {} : { commit: words }) } as NewEvent,
      { type: 'trim.skipped', reason: 'test' },
      ...more,
    ],
    directives,
  )
  const events: NewEvent[] = []
  const abort = new AbortController()
  const context = {
    project,
    loop,
    run: runFolder(loop, runId),
    taskFile: taskFile ?? join(project, 'task.md'),
    task,
    directives: state.directives,
    env: process.env,
    now: Date.now,
    random: () => 0,
    state: () => state,
    progress: () => ({ loop: state }),
    record: (event: NewEvent) => {
      events.push(event)
      state = reduce(state, { ...event, at: new Date().toISOString(), run: runId } as RunEvent)
    },
    fingerprint: { begin: () => undefined, take: async () => '' },
    abort: abort.signal,
    stop: abort.signal,
  } as unknown as RunContext
  return { context, events, stop: () => abort.abort() }
}
