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

const systemFaults: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  ENOSPC: ['The disk is full', 'Make room, then run `yoke resume`.'],
  EDQUOT: ['The disk quota is used up', 'Make room, then run `yoke resume`.'],
  EROFS: ['The disk is read-only', 'Work in a folder that you may write to.'],
  EACCES: ['A file may not be written or read', 'Give yourself the right to it.'],
  EPERM: ['The system does not permit an operation', 'See who owns the file.'],
  EIO: ['The disk reports an error', 'Look at the disk before you go on.'],
  EMFILE: ['Too many files are open', 'Raise the limit with `ulimit -n`.'],
}

/** What the operating system refused, as an error for people; undefined for anything else. */
export const fromSystem = (error: unknown): YokeError | undefined => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const fault = systemFaults[error.code]
  if (fault === undefined) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? `: ${error.path}` : ''
  return new YokeError(`E_SYSTEM_${error.code}`, `${fault[0]} (${error.code})${path}.`, fault[1])
}
