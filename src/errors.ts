/** The process exit codes of every command. */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  limit: 3,
  blocked: 4,
  agentFailing: 5,
  locked: 6,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/**
 * An error that a user can meet: one sentence on what happened, one on what to do.
 * Anything else that is thrown is a bug and is shown with its stack.
 */
export class YokeError extends Error {
  override readonly name = 'YokeError'

  /** Stable, for scripts: `E_NO_AGENT`, `E_LOCKED`, ... */
  readonly code: `E_${string}`
  /** What to do, one sentence. */
  readonly fix: string
  readonly exit: ExitCode

  /** `what` is what happened, one sentence. */
  constructor(code: `E_${string}`, what: string, fix: string, exit: ExitCode = exitCode.failed) {
    super(what)
    this.code = code
    this.fix = fix
    this.exit = exit
  }
}
