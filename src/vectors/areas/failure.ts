import * as v from 'valibot'
import type { Invocation } from '../../agents/agent.ts'
import { agentByName } from '../../agents/registry.ts'
import { eventTally } from '../../run/event-tally.ts'
import { area } from '../area.ts'

const InputSchema = v.strictObject({
  agent: v.picklist(['claude', 'opencode']),
  /** The lines of standard output: JSON, or a text that is none. */
  stdout: v.array(v.unknown()),
  stderr: v.exactOptional(v.string(), ''),
  /** Null when a signal ended the process. */
  exit: v.nullable(v.number()),
  signal: v.exactOptional(v.nullable(v.string()), null),
  /** Why the loop itself ended the process, if it did. */
  endedBy: v.exactOptional(v.picklist(['iteration-timeout', 'idle-timeout', 'budget', 'abort', 'grace'])),
  role: v.exactOptional(v.picklist(['worker', 'judge']), 'worker'),
  /** Whether a stored session was resumed. */
  resumed: v.exactOptional(v.boolean(), false),
  /** When the process ended: reset times are read against it. */
  endedAt: v.exactOptional(v.pipe(v.string(), v.isoTimestamp()), '2026-12-01T10:00:00.000Z'),
  timeZone: v.exactOptional(v.string(), 'UTC'),
})

/** What one start of an agent came to (§5.5). */
export const failure = area(
  InputSchema,
  v.strictObject({
    class: v.string(),
    /** ISO 8601, where the CLI names when a limit is reset. */
    resetsAt: v.exactOptional(v.string()),
  }),
  (input) => {
    const agent = agentByName(input.agent)
    const tally = eventTally()
    const events = [
      ...input.stdout.flatMap((line) =>
        agent.parseLine(typeof line === 'string' ? line : JSON.stringify(line)),
      ),
      ...input.stderr.split('\n').flatMap((line) => agent.parseErrorLine?.(line) ?? []),
    ]
    for (const event of events) tally.add(event)
    const outcome = agent.classify(
      {
        ...tally.facts(),
        exit: input.exit,
        signal: input.signal,
        ...(input.endedBy === undefined ? {} : { endedBy: input.endedBy }),
        stderr: input.stderr,
        endedAt: Date.parse(input.endedAt),
        timeZone: input.timeZone,
      },
      invocation(input),
    )
    return {
      class: outcome.class,
      ...(outcome.resetsAt === undefined ? {} : { resetsAt: new Date(outcome.resetsAt).toISOString() }),
    }
  },
)

const invocation = ({ role, resumed }: v.InferOutput<typeof InputSchema>): Invocation => ({
  role,
  prompt: '',
  cwd: '/project',
  session: role === 'judge' ? { kind: 'ephemeral' } : resumed ? { kind: 'resume', id: 's' } : { kind: 'new' },
  access: role === 'judge' ? 'read-only' : 'edit',
})
