import type { Area } from './area.ts'
import type { VectorCase } from './case.ts'
import { type Answer, problemWith } from './compare.ts'

/** Something that answers cases, one after the other. */
export type Implementation = (vector: VectorCase) => Promise<Answer>

export type CaseResult = {
  readonly vector: VectorCase
  readonly status: 'passed' | 'failed' | 'skipped'
  /** What is wrong, when it failed. */
  readonly problem?: string
  readonly durationMs: number
}

/** Asks for every case and compares the answers. `now` gives milliseconds. */
export const runCases = async (
  cases: readonly VectorCase[],
  implementation: Implementation,
  now: () => number,
): Promise<readonly CaseResult[]> => {
  const results: CaseResult[] = []
  for (const vector of cases) {
    const began = now()
    const judged = judge(vector, await implementation(vector))
    results.push({ vector, ...judged, durationMs: now() - began })
  }
  return results
}

const judge = (vector: VectorCase, answer: Answer): Pick<CaseResult, 'status' | 'problem'> => {
  if ('skip' in answer) return { status: 'skipped' }
  const problem = 'error' in answer ? answer.error : compared(vector, answer.output)
  return problem === undefined ? { status: 'passed' } : { status: 'failed', problem }
}

const compared = (vector: VectorCase, output: unknown): string | undefined => {
  try {
    return problemWith(vector, output)
  } catch (error) {
    // The stack ends where an answer is nested without end.
    return `the answer cannot be compared (${String(error)})`
  }
}

/** yoke itself. */
export const ownImplementation =
  (areas: Readonly<Record<string, Area>>): Implementation =>
  async ({ area, input }) => {
    const found = areas[area]
    if (found === undefined) return { skip: true }
    try {
      return { output: await found.run(input) }
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) }
    }
  }

export type Summary = {
  readonly area: string
  readonly passed: number
  readonly failed: number
  /** Ids of the cases that were skipped. */
  readonly skipped: readonly string[]
}

/** How each area fared, in the order of the results. */
export const summarize = (results: readonly CaseResult[]): readonly Summary[] =>
  [...new Set(results.map(({ vector }) => vector.area))].map((area) => {
    const own = results.filter(({ vector }) => vector.area === area)
    const having = (status: CaseResult['status']) => own.filter((each) => each.status === status)
    return {
      area,
      passed: having('passed').length,
      failed: having('failed').length,
      skipped: having('skipped').map(({ vector }) => vector.id),
    }
  })
