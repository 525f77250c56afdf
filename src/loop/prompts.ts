import type { Periodic } from '../task/directives.ts'
import { rollbackText } from './checkpoint.ts'
import { sessionOf } from './session.ts'
import type { Feedback, RunState } from './state.ts'

/** Where the worker writes its notes, relative to the project. */
export const notesFile = '.loop/notes.md'

/** What each prompt begins with that begins a session which is gone on with. */
export const openingWords = '# How you work'

const protocol = `You work unattended, in a loop. Each time you end your turn, checks and an independent judge look at the
repository. Only they can end the loop: saying that you are done ends nothing, so make it true in the files.
Nobody answers questions. Decide, and write the decision down.

Before you end a turn, update \`${notesFile}\`: what is done, what you found out, what is left.

Between your turns, this conversation is cut down: what stays is this prompt and the files that you name in
\`${notesFile}\`, as you read them last. Name them on lines of their own:

KEEP: src/a.ts, "docs/a file with spaces.md", src/core/**

Name only files that you will need again; everything else can be read again later. \`KEEP: none\` keeps nothing.
A line \`RESET: TRUE\` in the notes starts a fresh conversation for the next turn. Your notes stay, this prompt too.`

const commitProtocol = `What you did in a turn is committed for you once the checks have passed: commit nothing yourself. Say in \`${notesFile}\` what
you did, for the message of that commit, anew each time:

COMMIT: Keep digits in slugify
- slugify.js: digits are kept`

/** The prompt of the first iteration of a session: protocol and whole task, and what is known from an earlier session. */
export const openingPrompt = (task: string, state: RunState): string =>
  [
    openingWords,
    protocol,
    ...((state.directives.commit ?? 'off') === 'off' ? [] : [commitProtocol]),
    '# The task',
    task.trim(),
    ...earlierText(state),
    ...(state.feedback === undefined ? [] : [feedbackText(state.feedback)]),
    ...rollbackText(state),
    ...saidText(state),
  ].join('\n\n')

/** Whose notes a worker finds that begins a session. */
const earlierText = (state: RunState): readonly string[] => {
  if (sessionOf(state, 'worker').followsAnother || state.iteration > state.iterationsBefore + 1)
    return [
      '# Where it stands',
      `This is turn ${state.iteration}. An earlier conversation left its notes in \`${notesFile}\`: read them first.`,
    ]
  return state.iterationsBefore === 0
    ? []
    : [
        '# Where it stands',
        `Others have worked here on tasks that are over. \`${notesFile}\` holds their notes: take from them what still holds, and begin them anew.`,
      ]
}

/**
 * The prompt of a later iteration: what the last checks and judge said. A session that was handed over holds another task,
 * and a trim leaves nothing but the first prompt: it is told each time that this one is over, and what the present one is.
 */
export const nextPrompt = (task: string, state: RunState): string =>
  [
    ...(sessionOf(state, 'worker').isHandedOver
      ? [
          'The task that this conversation began with is over, whatever was left of it: do not go on with it. What follows is your task now; how you work stays the same.',
          '# The task',
          task.trim(),
          '# Where it stands',
        ]
      : []),
    feedbackText(state.feedback ?? { kind: 'unjudged' }),
    ...rollbackText(state),
    ...changesText(state),
    ...taskChangeText(task, state),
    ...saidText(state),
    ...(state.reminded
      ? []
      : [
          `There is no \`KEEP:\` line in \`${notesFile}\`, so nothing was cut from this conversation. Name the files that you still need, or write \`KEEP: none\`.`,
        ]),
    `Go on with the task. Update \`${notesFile}\`, with its \`KEEP:\` lines, before you end your turn.`,
  ].join('\n\n')

/** What the project asks of everyone who works in it, as it was when the run began: the worker may have changed it since. */
export const instructionsText = (instructions: string | undefined): readonly string[] =>
  instructions === undefined
    ? []
    : [
        "# The project's instructions",
        'They tell how work is done in this repository. They are no part of the task, and decide nothing about your answer.',
        instructions.trim(),
      ]

const feedbackText = (feedback: Feedback): string => {
  switch (feedback.kind) {
    case 'checks-failed':
      return feedback.failures
        .map(
          ({ command, exit, output }) =>
            `The check \`${command}\` failed (${exit === null ? 'it was ended by a signal' : `exit code ${exit}`}). The end of its output:\n\n${fenced(output)}`,
        )
        .join('\n\n')
    case 'objection':
      return [
        'The judge looked at the repository and says that the task is not done:',
        ...feedback.reasons.map((reason) => `- ${reason}`),
        ...(feedback.next === '' ? [] : [`Next: ${feedback.next}`]),
      ].join('\n')
    case 'unread-verdict':
      return 'The judge gave no readable verdict, so the task does not count as done. Look over your work once more.'
    case 'unjudged':
      return 'Nobody has said yet that the task is done.'
    case 'cut-off':
      return `Your last turn was cut off (${feedback.why}). Look at what is on the disk before you go on: a step may be half done.`
  }
}

/** A fence longer than any run of backticks in the text, so that the text cannot close it. */
const fenced = (text: string, language = ''): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** What a person says is not said again: a trim takes it out of the session. */
const saidText = ({ said }: RunState): readonly string[] =>
  said.length === 0
    ? []
    : [
        'A person who watches this loop says:',
        ...said.map(quoted),
        `You are told this once: write into \`${notesFile}\` what of it holds for longer than this turn.`,
      ]

export const quoted = (text: string): string => text.trim().replace(/^/gm, '> ')

/** Told with each prompt of the session, because a trim leaves nothing but the first one, which holds the task of before. */
const taskChangeText = (task: string, state: RunState): readonly string[] => {
  const { taskChange } = sessionOf(state, 'worker')
  // In a saga, it is the goal that has changed: the worker knows nothing of it.
  if (taskChange === undefined || state.task !== task) return []
  const { difference } = taskChange
  if (difference === '') return ['The task was changed, and is now again what this conversation began with.']
  return difference.length < task.length
    ? [
        'The task has been changed since this conversation began. It holds as it is now (a line with `-` is gone, one with `+` is new):',
        fenced(difference.trimEnd(), 'diff'),
      ]
    : [
        'The task has been written anew since this conversation began. The one that it began with is over. It is now:',
        '# The task',
        task.trim(),
        '# Where it stands',
      ]
}

/** A kept Read of a file that a periodic has changed since would lie to the worker. */
const changesText = ({ periodicsChanged, notesChanged }: RunState): readonly string[] => [
  ...(notesChanged
    ? [`Somebody else has changed \`${notesFile}\` since your last turn: read it again before you go on.`]
    : []),
  ...(periodicsChanged.length === 0
    ? []
    : [
        `Since your last turn, others have worked in this repository (${periodicsChanged.join(', ')}). Read a file again before you rely on what you know of it.`,
      ]),
]

/** Where a periodic with a session of its own writes its notes, relative to the project. */
export const periodicNotesFile = (name: string): string => `.loop/notes.${name}.md`

/** The prompt of a periodic. In a session that goes on, only the work is named again. */
export const periodicPrompt = (periodic: Periodic, iteration: number, isResumed: boolean): string => {
  const { name, every, session, prompt = '' } = periodic
  const notes = periodicNotesFile(name)
  if (isResumed)
    return [
      `The loop has come to turn ${iteration}, and it is time for your work again. The repository has changed: look at it anew.`,
      prompt,
      `Update \`${notes}\`, with its \`KEEP:\` lines, before you end your turn.`,
    ].join('\n\n')
  return [
    `${openingWords}
You are called as "${name}" after every ${every === 1 ? 'turn' : `${every} turns`} of a loop in which somebody else works on a task in this repository; ${iteration}
turns are over. Do the work below and nothing else, then end your turn. Nobody answers questions. Leave
\`.loop/\` alone${session === 'own' ? `, but for \`${notes}\`` : ''}.`,
    ...(session === 'own'
      ? [
          `Before you end a turn, write to \`${notes}\` what you will want to know next time. This conversation is cut down
between your turns: what stays is this prompt and the files that you name there, on lines such as

KEEP: src/a.ts, "docs/a file with spaces.md", src/core/**

\`KEEP: none\` keeps nothing. A line \`RESET: TRUE\` there starts a fresh conversation for your next turn.`,
        ]
      : []),
    '# Your work',
    prompt,
  ].join('\n\n')
}

/** The judge's prompt: task and repository, never a word of the worker's (§2.1). */
export const judgePrompt = (task: string, own?: string, instructions?: string): string =>
  [
    'You are the judge of a task that somebody else worked on in this repository.',
    own ??
      `Find out whether the task is done, from the repository alone. Read the files; run what only reads. Trust no claim
in comments, notes or commit messages: check it. Do not read \`.loop/\`. Change nothing.

Answer "done" only if every part of the task is fulfilled. Answer "continue" if something is missing or wrong, with the
reasons (each one checkable, with the file) and the next step. Answer "blocked" only if a person is needed.`,
    'If you are not given a tool for the answer, end with one line: `VERDICT: done`, `VERDICT: continue` or `VERDICT: blocked`, followed by the reason.',
    ...instructionsText(instructions),
    '# The task',
    task.trim(),
  ].join('\n\n')
