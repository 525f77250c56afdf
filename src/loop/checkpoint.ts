import type { RunEvent } from '../events.ts'
import { titleOf } from './plan.ts'
import type { CommitWords, RunState } from './state.ts'

/** An iteration that failed ends with a look at what has changed, or, if it is to be so, with its changes taken back (§3.11). */
export const failedIteration = (state: RunState): RunState => ({
  ...state,
  phase: {
    at:
      state.directives['on-failure'] === 'rollback' && state.directives.commit === 'each'
        ? 'rollback'
        : 'progress',
  },
})

type CheckpointEvent = RunEvent & {
  type: 'commit.made' | 'commit.skipped' | 'rollback.done' | 'rollback.skipped'
}

/** The state after a commit or a rollback, or the lack of one. */
export const checkpointed = (state: RunState, event: CheckpointEvent): RunState => {
  switch (event.type) {
    case 'commit.made': {
      const { commitWords: used, ...rest } = state
      return {
        ...rest,
        ...(used === undefined ? {} : { usedCommitWords: used }),
        commit: event.commit,
        phase: afterCommit(state),
      }
    }
    case 'commit.skipped':
      return { ...state, phase: afterCommit(state) }
    case 'rollback.done':
      return {
        ...state,
        rolledBack: { iteration: event.iteration, ref: event.ref },
        phase: { at: 'progress' },
      }
    case 'rollback.skipped':
      return { ...state, phase: { at: 'progress' } }
  }
}

/** With `commit: each` the judge comes next; with `done` it has spoken. */
const afterCommit = ({ phase }: RunState): RunState['phase'] => ({
  at: phase.at === 'commit' ? 'progress' : 'judge',
})

/** What the worker is told of what was taken back, if that was in the last iteration. */
export const rollbackText = ({ rolledBack, iteration }: RunState): readonly string[] =>
  rolledBack === undefined || rolledBack.iteration < iteration - 1
    ? []
    : [
        `What you changed in your last turn has been taken back, since it failed: the files are as they were before. Read a file again before you rely on what you know of it. What you had changed stands in git: \`git diff HEAD ${rolledBack.ref}\` shows it.`,
      ]

const longestSubject = 72

/**
 * The message of a commit: the worker's own words, or, where it has none that are new, the title of the task; and where the
 * commit is from. One line for the subject and no control characters: what a model wrote goes into the history of others.
 */
export const commitMessage = (
  {
    iteration,
    commitWords,
    usedCommitWords,
  }: Pick<RunState, 'iteration' | 'commitWords' | 'usedCommitWords'>,
  { run, task }: { readonly run: string; readonly task: string },
): { readonly subject: string; readonly message: string } => {
  const words = isSame(commitWords, usedCommitWords) ? undefined : commitWords
  const whole =
    oneLine(words?.subject ?? '') || oneLine(titleOf({ title: '', plan: task })) || 'Work on the task'
  const subject = whole.length <= longestSubject ? whole : `${whole.slice(0, longestSubject - 1)}…`
  const body = (words?.body ?? '').replace(/[^\P{Cc}\n]/gu, ' ').trim()
  return {
    subject,
    message: [
      subject,
      ...(whole === subject ? [] : [whole]),
      ...(body === '' ? [] : [body]),
      `Yoke-Run: ${run}\nYoke-Iteration: ${iteration}`,
    ]
      .join('\n\n')
      .concat('\n'),
  }
}

const isSame = (a: CommitWords | undefined, b: CommitWords | undefined): boolean =>
  a?.subject === b?.subject && a?.body === b?.body

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
