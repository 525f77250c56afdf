import type { RunState } from './state.ts'

/** Why the next iteration leaves the session and starts a fresh one, or undefined when it goes on (§3.5). */
export const forkReason = (state: RunState): string | undefined => {
  if (state.session === undefined) return undefined
  if (state.reset) return 'the worker asked for it (RESET: TRUE)'
  const every = state.directives['context-fork-every']
  if (every !== undefined && state.sessionIterations >= every)
    return `the session has lasted ${state.sessionIterations} iterations (context-fork-every: ${every})`
  const over = state.directives['context-fork-over']
  if (over !== undefined && state.sessionTokens > over)
    return `the session holds about ${state.sessionTokens} tokens (context-fork-over: ${over})`
  return undefined
}
