import * as v from 'valibot'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const text = v.string()

const PlanSchema = v.strictObject({
  status: v.picklist(['plan', 'done', 'blocked']),
  title: v.exactOptional(text, ''),
  plan: v.exactOptional(text, ''),
  handoff: v.exactOptional(v.picklist(['fresh', 'keep']), 'fresh'),
})

/** One start of an agent, and what it leaves behind. */
const TurnSchema = v.strictObject({
  role: text,
  class: v.exactOptional(text, 'ok'),
  costUsd: v.exactOptional(v.number(), 0),
  /** Tokens of its largest request. */
  context: v.exactOptional(count, 0),
  /** The `KEEP` entries of its notes; null when there is no such line. */
  keep: v.exactOptional(v.nullable(v.array(text)), ['a.ts']),
  reset: v.exactOptional(v.boolean(), false),
  /** The tokens that the trim leaves, or why it is refused. */
  trim: v.exactOptional(v.union([count, text]), 0),
  /** Whether it changes the project. */
  changes: v.exactOptional(v.boolean(), true),
  /** The judge's answer; null when it is not readable. */
  verdict: v.exactOptional(v.nullable(v.picklist(['done', 'continue', 'blocked'])), null),
  reasons: v.exactOptional(v.array(text), []),
  /** The scoper's answer; null when it is not readable. */
  plan: v.exactOptional(v.nullable(PlanSchema), null),
})

/** What happens outside of the loop, for a trace. */
export const OutcomeSchema = v.union([
  TurnSchema,
  /** Right behind the turn before it. */
  v.strictObject({ signal: v.picklist(['SIGINT', 'SIGTERM']) }),
  /** The run is killed right behind the turn before it, and goes on, with these directives changed. */
  v.strictObject({ kill: v.record(text, v.unknown()) }),
  /** Once the run has ended, it goes on, with these directives changed. */
  v.strictObject({ resume: v.record(text, v.unknown()) }),
])

export type Turn = v.InferOutput<typeof TurnSchema>
export type Outcome = v.InferOutput<typeof OutcomeSchema>
