import type { AgentResult, Ending, Invocation } from '../agent.ts'
import type { FailureRule } from '../failure-rule.ts'

/** What the rules look at: the ending of a start that did not simply succeed. */
export type Facts = {
  readonly ending: Ending
  readonly invocation: Invocation
  /** The last one that was printed. */
  readonly result?: AgentResult
  /** What the CLI said about the failure, the most telling first. */
  readonly messages: readonly string[]
}

const status =
  (...codes: readonly number[]) =>
  ({ result }: Facts): boolean =>
    result?.apiStatus !== undefined && codes.includes(result.apiStatus)

const requestError =
  (...names: readonly string[]) =>
  ({ ending }: Facts): boolean =>
    names.includes(ending.requestErrors.at(-1)?.error ?? '')

const subtype =
  (name: string) =>
  ({ result }: Facts): boolean =>
    result?.subtype === name

const reason =
  (name: string) =>
  ({ result }: Facts): boolean =>
    result?.terminalReason === name

const any =
  (...tests: readonly ((facts: Facts) => boolean)[]) =>
  (facts: Facts): boolean =>
    tests.some((test) => test(facts))

const endedBy =
  (...causes: readonly string[]) =>
  ({ ending }: Facts): boolean =>
    causes.includes(ending.endedBy ?? '')

const resumed = ({ invocation }: Facts): boolean => invocation.session.kind === 'resume'

/** 128 + INT, KILL, TERM: a shell or the CLI itself reports the signal that way. */
const signalExits: readonly (number | null)[] = [130, 137, 143]

/**
 * Texts and codes were measured on 2.1.332 unless said otherwise. The order is part of the rules: a 400 may be a matter of
 * billing, of the context or of the history, and only its text tells which.
 */
export const failureRules: readonly FailureRule<Facts>[] = [
  { class: 'killed', when: endedBy('abort') },
  // The time ran out while the provider refused: the provider is the cause.
  {
    class: 'rate-limit',
    when: ({ ending }) => /^429\b|rate_limit/.test(ending.retrying ?? ''),
    only: endedBy('iteration-timeout', 'idle-timeout'),
  },
  {
    class: 'overloaded',
    when: ({ ending }) => ending.retrying !== undefined,
    only: endedBy('iteration-timeout', 'idle-timeout'),
  },
  { class: 'timeout', when: endedBy('iteration-timeout', 'idle-timeout') },

  { class: 'max-turns', when: any(subtype('error_max_turns'), reason('max_turns')) },
  { class: 'budget', when: any(subtype('error_max_budget_usd'), reason('budget_exhausted')) },

  // On stderr only up to 2.1.7, in the result only up to 2.1.100, in both since.
  {
    class: 'stale-session',
    says: /No conversation found with session ID|requires a valid session ID|No conversations? found to (?:resume|continue)/i,
    only: resumed,
  },
  {
    class: 'context-full',
    says: /prompt is too long|input is too long|exceeds? (?:the )?(?:model's )?(?:maximum )?context (?:limit|window|length)|context (?:window|limit) (?:is full|reached|exceeded)|request too large|request_too_large/i,
    when: any(reason('prompt_too_long'), status(413)),
  },
  {
    class: 'billing',
    says: /credit balance (?:is )?too low|organization has been disabled|monthly spend limit|requires usage credits|out of (?:usage )?credits/i,
    when: any(status(402), requestError('billing_error')),
    // A spend limit that is reset by itself is waited for.
    only: ({ messages }) => !messages.some((message) => /\bresets?\s+\S/i.test(message)),
  },
  {
    class: 'rate-limit',
    says: /hit your .{0,40}limit|(?:usage|spend|rate) limit (?:was )?reached|limit will reset|\(429\)|API Error: 429|rate_limit_error/i,
    when: any(status(429), requestError('rate_limit')),
  },
  {
    class: 'auth',
    says: /not logged in|please run \/login|invalid (?:x-)?api[- ]key|invalid auth token|failed to authenticate|authentication[_ ](?:error|failed|required)|oauth token (?:has )?(?:been )?(?:expired|revoked)|session has expired|login expired/i,
    when: any(status(401, 403), requestError('authentication_failed')),
  },
  {
    class: 'bad-config',
    says: /issue with the selected model|unknown option|argument '.*' is invalid|invalid mcp config|is not valid JSON|invalid settings|option .* argument missing|cannot be used with root\/sudo|ANTHROPIC_CUSTOM_HEADERS/i,
    when: any(status(404), requestError('model_not_found')),
  },
  {
    class: 'rejected-history',
    says: /invalid signature|thinking block|tool use concurrency|orphaned tool_result|tool_use(?:_id|` ids)|tool_result|messages\.\d+[.:]|roles must alternate|surrogate/i,
    only: status(400),
  },
  // The request of a resumed session consists of the history for the most part, and a fresh one costs little to try.
  { class: 'rejected-history', when: status(400), only: resumed },
  {
    class: 'overloaded',
    says: /overloaded|internal server error|connection (?:refused|error|reset|closed)|ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|request timed out|fetch failed|socket hang up|no messages returned/i,
    when: any(
      status(408, 409, 500, 502, 503, 504, 520, 522, 524, 529),
      requestError('server_error', 'overloaded'),
    ),
  },
  // A limit that was refused earlier and gone round by paid usage is not the cause of every later failure.
  {
    class: 'rate-limit',
    when: ({ ending }) => ending.limit !== undefined,
    only: ({ result }) => result?.isError === true,
  },

  {
    class: 'killed',
    when: ({ ending, result }) =>
      result === undefined && (ending.signal !== null || signalExits.includes(ending.exit)),
  },
  // SIGINT makes most releases exit with 0 (claude 1.0.128 to 2.1.332).
  { class: 'killed', when: ({ ending, result }) => result === undefined && ending.exit === 0 },
]
