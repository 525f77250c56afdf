import * as v from 'valibot'
import { area } from '../area.ts'
import { playScript } from '../play-script.ts'
import { OutcomeSchema } from '../script.ts'
import { ShownEventSchema, shown } from '../shown-event.ts'

const InputSchema = v.strictObject({
  /** As in front matter; the rest have their defaults. */
  directives: v.record(v.string(), v.unknown()),
  /** What happens, in order; the trace ends where a step wants more than there is. */
  script: v.array(OutcomeSchema),
  /** Texts that the prompts of worker, judge and periodics may have or not. */
  look: v.exactOptional(v.array(v.string()), []),
})

/** Exactly the events of a run, given what happens (§3.8 to §3.10). */
export const traceArea = (kind: 'brute' | 'saga') =>
  area(InputSchema, v.strictObject({ events: v.array(ShownEventSchema) }), ({ look, ...input }) => ({
    events: playScript({ kind, ...input }).map(({ event, prompt }) => ({
      ...shown(event),
      ...(look.length === 0 || prompt === undefined
        ? {}
        : { mentions: look.filter((text) => prompt.includes(text)) }),
    })),
  }))
