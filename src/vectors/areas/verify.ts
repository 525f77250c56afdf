import * as v from 'valibot'
import { keepMatcher } from '../../transcript/keep-paths.ts'
import { chooseReads } from '../../transcript/reads.ts'
import { relink } from '../../transcript/relink.ts'
import { scanBytes } from '../../transcript/scan.ts'
import { select } from '../../transcript/select.ts'
import { verify as faultsIn } from '../../transcript/verify.ts'
import { area, TextSchema, textOf } from '../area.ts'

/** The last look at the bytes that a trim would write (§6.5). */
export const verify = area(
  v.strictObject({
    session: TextSchema,
    keep: v.array(v.string()),
    /** What would be written: right, or with a fault planted in it. */
    written: TextSchema,
  }),
  v.strictObject({
    /** The rules that are broken, in the order of the alphabet; any one refuses the trim. */
    broken: v.array(v.string()),
  }),
  ({ session, keep, written }) => {
    const stored = Buffer.from(textOf(session))
    const same = (path: string) => path
    const match = keepMatcher(keep, '/project', same)
    const found = scanBytes(stored, { cwd: '/project', wants: ({ path }) => match(path).length > 0 })
    const { reads } = chooseReads(found.entries, found.chain, keep, match, same)
    const kept = reads.map((read) => ({ ...read, notBefore: 0 }))
    const plan = select(found, kept)
    if (typeof plan === 'string') throw new Error(plan)
    const lines = relink(
      plan,
      plan.map(({ source: { offset, length } }) => stored.subarray(offset, offset + length)),
    )
    const faults = faultsIn(Buffer.from(textOf(written)), { lines, reads: kept })
    return { broken: [...new Set(faults.map(({ rule }) => rule))].sort() }
  },
)
