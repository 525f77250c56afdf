import { costOf } from './books.ts'
import { lateFloor, lateFrom, runOf } from './late.ts'
import type { Run, Strategy } from './strategies.ts'

/** A goal of the default, and whether it is reached. */
export type Goal = {
  readonly goal: string
  readonly holds: boolean
  readonly worst: number
  /** The settings that miss it, each with its worst repeat. */
  readonly fails: readonly string[]
}

const plainResumes = ['resume', 'resume, 1M window'] as const satisfies readonly Strategy[]

/** The goals that yoke's default is held to, in every setting and repeat, of more than nine iterations. */
export const goals = (settings: readonly (readonly Run[])[]): readonly Goal[] => [
  goal(
    'never above the cheaper of fresh and plain resume by more than 5 %',
    1.05,
    settings,
    (runs, repeat) => {
      const others = (['fresh', ...plainResumes] as const).map((name) => dollars(runs, name, repeat, 0))
      return { ratio: dollars(runs, 'trim (default)', repeat, 0) / Math.min(...others) }
    },
  ),
  ...plainResumes.map((name) =>
    goal(`below half of ${name} from the tenth iteration on`, 0.5, settings, (runs, repeat) => {
      const other = dollars(runs, name, repeat, lateFrom)
      return {
        ratio: dollars(runs, 'trim (default)', repeat, lateFrom) / other,
        least: lateFloor(runs, repeat, 'ofNeeds') / other,
      }
    }),
  ),
]

/** A ratio of one repeat, and the least that anything that acts between turns could reach. */
type Reached = { readonly ratio: number; readonly least?: number }

const goal = (
  text: string,
  most: number,
  settings: readonly (readonly Run[])[],
  reachedIn: (runs: readonly Run[], repeat: number) => Reached,
): Goal => {
  const worst = settings.map((runs) => {
    const repeats = [...new Set(runs.map(({ repeat }) => repeat))]
    const [worstRepeat = { ratio: Number.NaN }] = repeats
      .map((repeat) => reachedIn(runs, repeat))
      .toSorted((a, b) => b.ratio - a.ratio)
    const where = `${Math.round(100 * (runs[0]?.share ?? 0))} % kept, ${runs[0]?.pause} min`
    return { where, ratio: rounded(worstRepeat.ratio), least: worstRepeat.least }
  })
  const fails = worst.filter(({ ratio }) => !(ratio <= most))
  return {
    goal: text,
    holds: fails.length === 0,
    worst: Math.max(...worst.map(({ ratio }) => ratio)),
    fails: fails.map(({ ratio, least, where }) =>
      least === undefined ? `${where} (${ratio})` : `${where} (${ratio}, least possible ${rounded(least)})`,
    ),
  }
}

const rounded = (ratio: number): number => Number(ratio.toFixed(3))

/** From an iteration on. */
const dollars = (runs: readonly Run[], strategy: Strategy, repeat: number, from: number): number => {
  const run = runOf(runs, strategy, repeat)
  return run === undefined ? Number.NaN : costOf(run.accounts.slice(from))
}
