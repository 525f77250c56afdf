import * as v from 'valibot'
import { VerdictSchema } from '../../events.ts'
import { verdictFromText } from '../../loop/verdict.ts'
import { area } from '../area.ts'

/** What a judge's answer says (§4.2). */
export const verdict = area(
  v.strictObject({
    /** The structured answer, where the CLI gives one. */
    answer: v.exactOptional(v.unknown()),
    /** The judge's last words. */
    text: v.string(),
  }),
  v.strictObject({
    /** Null when there is no readable verdict. */
    verdict: v.nullable(
      v.strictObject({
        verdict: v.picklist(['done', 'continue', 'blocked']),
        reasons: v.array(v.string()),
        next: v.string(),
      }),
    ),
  }),
  ({ answer, text }) => {
    const structured = v.safeParse(VerdictSchema, answer)
    return { verdict: structured.success ? structured.output : (verdictFromText(text) ?? null) }
  },
)
