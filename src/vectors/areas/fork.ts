import * as v from 'valibot'
import { forkReason } from '../../loop/fork.ts'
import { DirectivesSchema } from '../../task/directives.ts'
import { area } from '../area.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** As the directives take them. */
const limit = v.pipe(v.number(), v.integer(), v.minValue(1))

/** Whether the next iteration leaves the session (§3.5). */
export const fork = area(
  v.strictObject({
    /** Null when no session is open. */
    session: v.nullable(
      v.strictObject({
        /** Turns that the worker has finished in it. */
        iterations: count,
        /** Tokens that it holds now. */
        tokens: count,
      }),
    ),
    /** The notes ask for it. */
    reset: v.boolean(),
    every: v.nullable(limit),
    over: v.nullable(limit),
  }),
  v.strictObject({ fork: v.nullable(v.picklist(['RESET', 'context-fork-every', 'context-fork-over'])) }),
  ({ session, reset, every, over }) => {
    const directives = v.parse(DirectivesSchema, {
      ...(every === null ? {} : { 'context-fork-every': every }),
      ...(over === null ? {} : { 'context-fork-over': over }),
    })
    const reason = forkReason(
      {
        turns: 0,
        tokens: 0,
        costUsd: 0,
        reset,
        ...(session === null ? {} : { id: 's', turns: session.iterations, tokens: session.tokens }),
      },
      directives,
    )
    return { fork: reason === undefined ? null : causeIn(reason) }
  },
)

/** A reason names its cause in brackets, for those that read the events. */
const causeIn = (reason: string) =>
  v.parse(
    v.picklist(['RESET', 'context-fork-every', 'context-fork-over']),
    /\((RESET|context-fork-\w+)[^()]*\)$/.exec(reason)?.[1],
  )
