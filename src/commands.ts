import type { Define } from './main.ts'

export type CommandEntry = {
  /** As cac takes it. */
  readonly usage: string
  readonly summary: string
  readonly group: Group
  readonly load: () => Promise<{ readonly define: Define }>
}

/** The headings of `yoke --help`, in their order. */
export const groups = ['Run', 'Look', 'Start', 'Sessions', 'More'] as const
export type Group = (typeof groups)[number]

/** Every command; each is loaded only when it is asked for, so that `yoke --version` starts as fast as a program that does nothing. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  brute: {
    usage: 'brute <task.md> [...more]',
    summary: 'Work on a task until an independent judge says it is done',
    group: 'Run',
    load: () => import('./commands/brute.ts'),
  },
  saga: {
    usage: 'saga <goal.md>',
    summary: 'Work on a goal, planned cycle by cycle, until it is reached',
    group: 'Run',
    load: () => import('./commands/saga.ts'),
  },
  resume: {
    usage: 'resume [run]',
    summary: 'Go on with a run that was stopped or paused',
    group: 'Run',
    load: () => import('./commands/resume.ts'),
  },
  stop: {
    usage: 'stop [run]',
    summary: 'End the run in this project after its iteration',
    group: 'Run',
    load: () => import('./commands/stop.ts'),
  },
  pause: {
    usage: 'pause [run]',
    summary: 'Hold the run in this project after its iteration',
    group: 'Run',
    load: () => import('./commands/pause.ts'),
  },
  say: {
    usage: 'say [run] [text]',
    summary: "Put a line into the worker's next prompt",
    group: 'Run',
    load: () => import('./commands/say.ts'),
  },
  status: {
    usage: 'status [run]',
    summary: 'Show the state of a run',
    group: 'Look',
    load: () => import('./commands/status.ts'),
  },
  watch: {
    usage: 'watch [run]',
    summary: 'Watch a run while it works; --web in a browser',
    group: 'Look',
    load: () => import('./commands/watch.ts'),
  },
  runs: {
    usage: 'runs',
    summary: 'List the runs of this project',
    group: 'Look',
    load: () => import('./commands/runs.ts'),
  },
  logs: {
    usage: 'logs [run]',
    summary: 'Show what the agent said and did',
    group: 'Look',
    load: () => import('./commands/logs.ts'),
  },
  report: {
    usage: 'report [run]',
    summary: 'Show what each iteration took and brought; --html makes a page of it',
    group: 'Look',
    load: () => import('./commands/report.ts'),
  },
  init: {
    usage: 'init [task.md]',
    summary: 'Write a task to start from',
    group: 'Start',
    load: () => import('./commands/init.ts'),
  },
  demo: {
    usage: 'demo',
    summary: 'Watch a small task being done, with the real Claude Code CLI and no account',
    group: 'Start',
    load: () => import('./commands/demo.ts'),
  },
  doctor: {
    usage: 'doctor',
    summary: 'Look at everything that a run stands on; --probe rehearses one without a token',
    group: 'Start',
    load: () => import('./commands/doctor.ts'),
  },
  inspect: {
    usage: 'inspect <session>',
    summary: 'Show what a session is made of',
    group: 'Sessions',
    load: () => import('./commands/inspect.ts'),
  },
  fingerprint: {
    usage: 'fingerprint <session>',
    summary: 'Compare the format of a session with those that yoke knows',
    group: 'Sessions',
    load: () => import('./commands/fingerprint.ts'),
  },
  trim: {
    usage: 'trim <session>',
    summary: 'Cut a session down to the files that are named',
    group: 'Sessions',
    load: () => import('./commands/trim.ts'),
  },
  restore: {
    usage: 'restore <session>',
    summary: 'Undo the newest trim of a session',
    group: 'Sessions',
    load: () => import('./commands/restore.ts'),
  },
  schema: {
    usage: 'schema',
    summary: 'Print the JSON Schema of the front matter, for editors',
    group: 'More',
    load: () => import('./commands/schema.ts'),
  },
  vectors: {
    usage: 'vectors',
    summary: 'Run the test vectors on yoke, or on another implementation',
    group: 'More',
    load: () => import('./commands/vectors.ts'),
  },
  licenses: {
    usage: 'licenses',
    summary: 'Print the licences of the packages that are a part of yoke',
    group: 'More',
    load: () => import('./commands/licenses.ts'),
  },
  completions: {
    usage: 'completions <shell>',
    summary: 'Print the completions for bash, zsh or fish',
    group: 'More',
    load: () => import('./commands/completions.ts'),
  },
  man: {
    usage: 'man',
    summary: 'Print the manual page',
    group: 'More',
    load: () => import('./commands/man.ts'),
  },
}
