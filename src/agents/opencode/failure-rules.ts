import type { Ending, Invocation } from '../agent.ts'
import type { FailureRule } from '../failure-rule.ts'

/** What the rules look at: the ending of a start whose last answer did not end the turn. */
export type Facts = {
  readonly ending: Ending
  readonly invocation: Invocation
  /** What OpenCode said about the failure, the most telling first. */
  readonly messages: readonly string[]
}

const status =
  (...codes: readonly number[]) =>
  ({ ending }: Facts): boolean =>
    codes.includes(ending.requestErrors.at(-1)?.status ?? 0)

const named =
  (...names: readonly string[]) =>
  ({ ending }: Facts): boolean =>
    names.includes(ending.requestErrors.at(-1)?.error ?? '')

const timedOut = ({ ending }: Facts): boolean =>
  ending.endedBy === 'iteration-timeout' || ending.endedBy === 'idle-timeout'

const resumed = ({ invocation }: Facts): boolean => invocation.session.kind === 'resume'

const unanswered = ({ ending }: Facts): boolean => (ending.answers?.count ?? 0) === 0

/** Not a single event. */
const silent = (facts: Facts): boolean => unanswered(facts) && facts.ending.requestErrors.length === 0

/** By words, since neither the events nor the log give the status of a request that is tried again. */
const limits =
  /rate.?limit|too many (?:requests|tokens)|usage limit|quota|limit (?:was )?reached|limit will reset|throttl|resource (?:has been |is )?exhausted|slow.?down|\b429\b/i

/** A release up to 1.2.27 that is started on the database of a newer one (1.18.33) tries to make its tables. */
export const newerStore = /Failed to run the query 'CREATE TABLE/

/** The file that holds all sessions: torn pages, or no database at all. */
export const tornStore = /database disk image is malformed|file is not a database/

/** The words of SQLite and of the system; the pragma is the first thing that OpenCode asks of a store (1.18.33). */
export const unwritableStore =
  /Failed query: PRAGMA \w+|attempt to write a readonly database|unable to open database file|database or disk is full|ENOSPC|no space left on device|EROFS|read-only file system|EACCES/i

/** Texts and codes were measured on 1.18.33 unless said otherwise. The order is part of the rules. */
export const failureRules: readonly FailureRule<Facts>[] = [
  { class: 'killed', when: ({ ending }) => ending.endedBy === 'abort' },
  { class: 'budget', when: ({ ending }) => ending.endedBy === 'budget' },
  // OpenCode tries a refused request again for ever: the provider is the cause of the silence.
  { class: 'rate-limit', when: ({ ending }) => limits.test(ending.retrying ?? ''), only: timedOut },
  { class: 'overloaded', when: ({ ending }) => ending.retrying !== undefined, only: timedOut },
  // 1.15.13 and later exit with 1; 1.1.65 to 1.14.41 with 0; older ones hang.
  {
    class: 'stale-session',
    says: /Session not found|Resource not found/,
    only: (facts) => resumed(facts) && silent(facts),
  },
  // Also without a single event: nothing comes before the first words of a model, and a slow one must not cost the session.
  { class: 'timeout', when: timedOut },
  { class: 'bad-config', when: named('choice-unknown') },
  { class: 'bad-config', says: newerStore },
  { class: 'bad-config', says: unwritableStore, only: unanswered },
  // What is torn may be the pages of the session alone: a fresh one is tried once.
  { class: 'bad-config', says: tornStore, only: (facts) => !resumed(facts) && unanswered(facts) },

  {
    class: 'context-full',
    says: /prompt is too long|input is too long|maximum context length|context (?:window|limit|length)|request_too_large/i,
    when: (facts) => named('ContextOverflowError')(facts) || status(413)(facts),
  },
  {
    class: 'billing',
    says: /credit balance (?:is )?too low|insufficient (?:credits|balance|quota|funds)|payment required|organization has been disabled/i,
    when: status(402),
  },
  {
    class: 'rate-limit',
    says: limits,
    when: status(429),
    only: ({ ending }) => ending.requestErrors.length > 0,
  },
  {
    class: 'auth',
    says: /invalid (?:x-)?api[- ]key|api key is missing|incorrect api key|unauthorized|authentication|oauth token|not logged in|token (?:is )?expired/i,
    when: (facts) => named('ProviderAuthError')(facts) || status(401, 403)(facts),
  },
  {
    class: 'bad-config',
    // An unknown option gets the help, which begins so, and no word more.
    says: /^opencode run \[message\.\.\]|model not found|ProviderModelNotFoundError|ProviderInitError|no such (?:model|agent)|Unknown arguments?|ConfigInvalidError|ConfigJsonError|Configuration is invalid|is not valid JSON|Failed to change directory|Invalid values/im,
    when: status(404),
  },
  // The store of a session that cannot be read any more: a row that is no JSON, pages that are torn.
  {
    class: 'rejected-history',
    says: new RegExp(`Unexpected server error\\. Check server logs|${tornStore.source}`),
    only: resumed,
  },
  {
    class: 'rejected-history',
    says: /invalid signature|thinking block|tool_use(?:_id|` ids)|tool_result|messages\.\d+[.:]|roles must alternate|surrogate/i,
    only: status(400),
  },
  // The request of a resumed session consists of the history for the most part, and a fresh one costs little to try.
  { class: 'rejected-history', when: status(400), only: resumed },
  {
    class: 'overloaded',
    says: /overloaded|internal server error|(?:cannot|unable to) connect|connection (?:refused|error|reset|closed)|ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|fetch failed|socket hang up/i,
    when: status(408, 409, 500, 502, 503, 504, 520, 522, 524, 529),
  },
  // A refused permission ends the turn in releases that do not know `continue_loop_on_deny`.
  {
    class: 'permission',
    when: ({ ending }) => (ending.answers?.denials.length ?? 0) > 0,
    only: ({ ending, invocation }) => ending.exit === 0 && invocation.access === 'edit',
  },
  {
    class: 'killed',
    when: ({ ending }) => ending.signal !== null || [130, 137, 143].includes(ending.exit ?? 0),
  },
]
