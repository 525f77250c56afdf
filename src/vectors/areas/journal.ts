import * as v from 'valibot'
import { YokeError } from '../../errors.ts'
import { readJournal } from '../../run/journal.ts'
import { area, refusal } from '../area.ts'
import { inPlace } from '../place.ts'

/** The event log of a run, read again (§5.3). */
export const journal = area(
  v.strictObject({
    /** The text of `events.jsonl`. */
    text: v.string(),
  }),
  v.union([
    v.strictObject({
      /** The types of the events that count. */
      events: v.array(v.string()),
    }),
    refusal({
      /** The line that is named, counted from 1. */
      line: v.number(),
    }),
  ]),
  ({ text }) =>
    inPlace(async ({ write }) => {
      const file = await write('events.jsonl', text)
      try {
        return { events: readJournal(file).map(({ type }) => type) }
      } catch (error) {
        if (!(error instanceof YokeError)) throw error
        return { refused: error.code, line: Number(/events\.jsonl:(\d+)/.exec(error.message)?.[1]) }
      }
    }),
)
