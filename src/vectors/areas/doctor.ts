import * as v from 'valibot'
import { checks } from '../../doctor/doctor.ts'
import { area } from '../area.ts'

/** What the doctor says of the facts that a check has gathered (§10.2). */
export const doctor = area(
  v.strictObject({
    /** The id of the check. */
    check: v.picklist(checks.map(({ id }) => id)),
    /** What was found; the table of §10.2 names the fields. */
    facts: v.record(v.string(), v.unknown()),
  }),
  v.strictObject({
    status: v.picklist(['ok', 'warn', 'fail', 'skip']),
    /** Whether the row says what to do. */
    fix: v.boolean(),
  }),
  ({ check, facts }) => {
    const found = checks.find(({ id }) => id === check)
    if (found === undefined) throw new Error(`no check ${check}`)
    const { status, fix } = found.judge(v.parse(found.facts, facts))
    return { status, fix: fix !== '' }
  },
)
