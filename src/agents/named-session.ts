import type { SessionFingerprint } from '../drift/session-fingerprint.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { Inventory } from '../transcript/inventory.ts'
import type { SessionTrim, SessionTrimmed } from './agent.ts'

/** A stored session, and what was found on the way to it. */
export type Located = {
  /** Absolute path of what holds it. */
  readonly file: string
  readonly id: string
  /** The CLI's folder that holds it. */
  readonly config: string
  /** The working folders that it names, in their order. */
  readonly cwds: readonly string[]
  /** What a user should know before trusting the choice, a sentence each. */
  readonly remarks: readonly string[]
}

/** Of a beginning of an id that fits several sessions. */
export const ambiguous = (named: string, choices: readonly string[], fix: string): YokeError =>
  new YokeError(
    'E_NO_SESSION',
    `"${named}" fits ${choices.length} sessions: ${choices.join(', ')}.`,
    fix,
    exitCode.usage,
  )

/** Of a session that a trim does not delete. */
export const leftText = (id: string, goOnCommand: (id: string) => string): string =>
  `The session ${id}, which a trim has left behind, is not deleted, since somebody has restored it or gone on with it: ${goOnCommand(id)}`

/** `lines` and `longestLine` are those of a file of the session's own. */
export type SessionInventory = Omit<Inventory, 'lines' | 'longestLine'> &
  Partial<Pick<Inventory, 'lines' | 'longestLine'>>

/** What is asked of a trim by hand. Nothing is written with `dryRun`, and `out` alone with it. */
export type TrimByHand = Pick<SessionTrim, 'keep' | 'staleReads' | 'backup' | 'dryRun' | 'out'>

/** A stored session that somebody named, and what can be done with it by hand. */
export type NamedSession = {
  readonly found: Located
  readonly inventory: () => Promise<SessionInventory>
  /** Throws `E_NOT_A_SESSION`. */
  readonly fingerprint: (strict: boolean) => Promise<SessionFingerprint>
  readonly trim: (wishes: TrimByHand) => Promise<SessionTrimmed>
}
