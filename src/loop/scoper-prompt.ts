import { instructionsText, quoted } from './prompts.ts'

export type ScoperBrief = {
  /** The prompt of the task file. */
  readonly goal: string
  /** `.loop/saga-log.md`, shortened (`saga-log.ts`); empty before the first cycle. */
  readonly log: string
  readonly cycle: number
  readonly maxCycles: number
  readonly maxIterations: number
  /** A session that could go on with the next plan. */
  readonly hasSession: boolean
  readonly instructions?: string
  /** What a person has said since the last turn of a worker. */
  readonly said?: readonly string[]
}

/** The scoper's prompt: goal, repository and log, never a word of the worker's (§2.1). */
export const scoperPrompt = ({ goal, log, instructions, said = [], ...brief }: ScoperBrief): string =>
  [
    'You are the scoper of a long piece of work: you decide what is done next, and others do it.',
    `Look at the repository, the goal and the log of what was done, then plan the next step. Trust no claim in comments, notes or
commit messages: check it. Do not read \`.loop/\`: what is to be known of it stands below. Change nothing.

This is cycle ${brief.cycle} of at most ${brief.maxCycles}. A worker gets your plan and at most ${brief.maxIterations} turns, and a judge decides from the repository alone
whether the plan is carried out. Neither sees the goal, the log or your reasons, so the plan says everything: what is to be done, where, what it
must not break, and how a judge can see that it is done. Make it one step that leaves the repository working. When a step failed before, plan a
smaller or another one; the same plan twice ends the work.

Answer with
- status: "plan", or "done" when the whole goal is reached, or "blocked" when only a person can help;
- title: a few words;
- plan: the text for worker and judge; with "done" and "blocked", the reason;
- handoff: "keep" when the worker should go on in its conversation because the next step needs the same files, else "fresh".${brief.hasSession ? '' : ' There is no conversation yet: "fresh".'}

If you are not given a tool for the answer, end with one fenced block of JSON that holds these four.`,
    ...instructionsText(instructions),
    '# The log',
    log.trim() === '' ? 'Nothing was done yet.' : log,
    '# The goal',
    goal.trim(),
    ...(said.length === 0 ? [] : ['A person who watches this work says:', ...said.map(quoted)]),
  ].join('\n\n')
