import { describe, expect, it } from 'vitest'
import { trimLoss } from '../../src/loop/trim-worth.ts'

/** What is the same in each turn of a modelled job, in tokens; the model's cache never expires. */
type Job = {
  readonly turns: number
  readonly calls: number
  /** Read, and kept. */
  readonly kept: number
  /** Tests, thoughts and the like. */
  readonly waste: number
}

const system = 20_000
const output = 4_000

/** Its price in tokens of input, when `spares` says whether a trim of these tokens is spared. */
const priceOf = ({ turns, calls, kept, waste }: Job, spares: (tokens: Tokens) => boolean): number => {
  let price = 0
  let [all, cached, carried] = [0, 0, 0]
  for (let turn = 1; turn <= turns; turn++) {
    const start = system + all
    const grows = (kept + waste) / (calls - 1)
    let cost = 0.1 * cached + 1.25 * (start - cached) + 5 * output
    for (let call = 1; call < calls; call++) cost += 0.1 * (start + (call - 1) * grows) + 1.25 * grows
    price += cost
    all += kept + waste
    const [before, after] = [all, turn * kept]
    const isSpared = turn < turns && spares({ before, after, calls, carried, cost, turns: 20 - turn })
    carried = isSpared ? carried + 0.1 * (before - after) * calls : 0
    if (!isSpared) all = after
    cached = isSpared ? system + all : system
  }
  return price
}

type Tokens = {
  readonly before: number
  readonly after: number
  readonly calls: number
  readonly turns: number
  readonly carried: number
  readonly cost: number
}

const byRule = ({ before, after, cost, ...seen }: Tokens): boolean =>
  trimLoss(
    { ...seen, slack: 0.03 * cost, isHeadCached: false, writing: 1.15 },
    { before, after, head: 0, reads: 1 },
  ) !== undefined

const jobs = [2, 5, 10, 20].flatMap((turns) =>
  [4, 10, 25, 60].flatMap((calls) =>
    [100, 1_000, 4_000, 15_000].flatMap((kept) =>
      [100, 1_000, 4_000, 15_000].map((waste): Job => ({ turns, calls, kept, waste })),
    ),
  ),
)

describe('trims that are spared for their price', () => {
  const ratios = jobs
    .filter(({ turns, kept, waste }) => system + turns * (kept + waste) < 150_000)
    .map((job) => {
      const [rule, never, always] = [byRule, () => true, () => false].map((spares) => priceOf(job, spares))
      return { job, ofNever: (rule ?? 0) / (never ?? 0), ofAlways: (rule ?? 0) / (always ?? 0) }
    })

  it('make no job dearer than the cheaper one of trimming always and never by more than 5 %', () => {
    expect(ratios.length).toBeGreaterThan(100)
    expect(ratios.filter(({ ofNever, ofAlways }) => Math.max(ofNever, ofAlways) > 1.05)).toEqual([])
  })

  it('make some much cheaper than either', () => {
    expect(Math.min(...ratios.map(({ ofNever, ofAlways }) => Math.max(ofNever, ofAlways)))).toBeLessThan(0.9)
  })
})
