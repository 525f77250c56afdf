import * as v from 'valibot'
import { readPlan } from '../../run/steps/scoper.ts'
import { area } from '../area.ts'

/** What a scoper's answer says (§4.3). */
export const plan = area(
  v.strictObject({
    /** The structured answer, where the CLI gives one. */
    answer: v.exactOptional(v.unknown()),
    /** The scoper's last words. */
    text: v.string(),
  }),
  v.strictObject({
    /** Null when there is no readable plan. */
    plan: v.nullable(
      v.strictObject({
        status: v.picklist(['plan', 'done', 'blocked']),
        title: v.string(),
        plan: v.string(),
        handoff: v.picklist(['fresh', 'keep']),
      }),
    ),
  }),
  ({ answer, text }) => ({ plan: readPlan({ answer, text }) ?? null }),
)
