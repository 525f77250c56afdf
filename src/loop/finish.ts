import type { RunResult } from '../events.ts'

const codes = {
  done: 0,
  failed: 1,
  limit: 3,
  blocked: 4,
  'agent-failing': 5,
  interrupted: 130,
  terminated: 143,
} as const satisfies Record<RunResult, number>

/** The exit code that tells a script how a run ended (§3.7). */
export const exitCodeOf = (result: RunResult): (typeof codes)[RunResult] => codes[result]
