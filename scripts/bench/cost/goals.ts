import { costOf } from './books.ts'
import type { Run, Strategy } from './strategies.ts'

/** A goal of the default, and whether it is reached. */
export type Goal = {
  readonly goal: string
  readonly holds: boolean
  readonly worst: number
  /** The settings that miss it. */
  readonly fails: readonly string[]
}

const plainResumes = ['resume', 'resume, 1M window'] as const satisfies readonly Strategy[]

/** The goals that yoke's default is held to, over the settings, of ten iterations or more; of repeats the mean counts. */
export const goals = (settings: readonly (readonly Run[])[]): readonly Goal[] => [
  goal('never above the cheaper of fresh and plain resume by more than 5 %', 1.05, settings, (runs) => {
    const others = (['fresh', ...plainResumes] as const).map((name) => mean(runs, name, 0))
    return mean(runs, 'trim (default)', 0) / Math.min(...others)
  }),
  ...plainResumes.map((name) =>
    goal(`below half of ${name} from the tenth iteration on`, 0.5, settings, (runs) => {
      return mean(runs, 'trim (default)', 9) / mean(runs, name, 9)
    }),
  ),
]

const goal = (
  text: string,
  most: number,
  settings: readonly (readonly Run[])[],
  ratioOf: (runs: readonly Run[]) => number,
): Goal => {
  const ratios = settings.map((runs) => ({
    ratio: Number(ratioOf(runs).toFixed(3)),
    where: `${Math.round(100 * (runs[0]?.share ?? 0))} % kept, ${runs[0]?.pause} min`,
  }))
  const fails = ratios.filter(({ ratio }) => ratio > most)
  return {
    goal: text,
    holds: fails.length === 0,
    worst: Math.max(...ratios.map(({ ratio }) => ratio)),
    fails: fails.map(({ ratio, where }) => `${where} (${ratio})`),
  }
}

/** Dollars from an iteration on. */
const mean = (runs: readonly Run[], strategy: Strategy, from: number): number => {
  const costs = runs.filter((run) => run.strategy === strategy).map((run) => costOf(run.accounts.slice(from)))
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length
}
