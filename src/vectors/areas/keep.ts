import * as v from 'valibot'
import { parseNotes, withoutReset } from '../../loop/notes.ts'
import { area } from '../area.ts'

/** KEEP and RESET in the notes (§4.1). */
export const keep = area(
  v.strictObject({ text: v.string() }),
  v.strictObject({
    /** Null when there is no KEEP line. */
    keep: v.nullable(v.array(v.string())),
    reset: v.boolean(),
    /** The notes without the lines that ask for a fork, when one does. */
    rest: v.exactOptional(v.string()),
  }),
  ({ text }) => {
    const { keep, reset } = parseNotes(text)
    return {
      keep: keep === undefined ? null : [...keep],
      reset,
      ...(reset ? { rest: withoutReset(text) } : {}),
    }
  },
)
