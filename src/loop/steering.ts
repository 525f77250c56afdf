import type { RunEvent } from '../events.ts'
import { sessionOf, withSession } from './session.ts'
import type { RunState } from './state.ts'

type Steering = RunEvent & {
  type: 'run.paused' | 'run.continued' | 'person.said' | 'task.changed' | 'task.ignored' | 'notes.changed'
}

/** The state after a person has spoken to the run from outside (§3.12). */
export const steered = (state: RunState, event: Steering, at: number): RunState => {
  switch (event.type) {
    case 'run.paused':
      return paused(state, at)
    case 'run.continued':
      return continued(state, at)
    case 'person.said':
      return { ...judgedNoMore(state), said: [...state.said, event.text] }
    case 'task.changed':
      return taskChanged(judgedNoMore(state), event)
    case 'task.ignored':
      return { ...state, ignoredTask: event.digest }
    case 'notes.changed': {
      const changed = { ...state, notesDigest: event.digest, notesChanged: true, history: [] }
      return event.reset ? withSession(changed, 'worker', { reset: true }) : changed
    }
  }
}

/** The verdict was on something else than what is wanted now, and so was what the loop is stuck at. */
const judgedNoMore = ({ verdict, feedback, ...state }: RunState): RunState => ({
  ...state,
  // Why the work was done is no objection to go on with.
  ...(feedback === undefined || verdict?.verdict === 'done' ? {} : { feedback }),
  history: [],
})

const taskChanged = (
  { ignoredTask: _, ...state }: RunState,
  { prompt, since, difference }: Steering & { type: 'task.changed' },
): RunState => {
  const changed = { ...state, task: prompt }
  // The first prompt of a session tells the whole task.
  return sessionOf(state, 'worker').id === undefined
    ? changed
    : withSession(changed, 'worker', { taskChange: { since, difference } })
}

/** A pause is neither work nor a wait for the provider. */
const paused = (state: RunState, at: number): RunState => {
  if (state.pausedSince !== undefined) return state
  const { waitingSince: _, ...rest } = state
  return {
    ...rest,
    pausedSince: at,
    activeMs: state.activeMs + at - state.activeSince,
    activeSince: at,
    waitedMs: waitedUntil(state, at),
  }
}

const continued = (state: RunState, at: number): RunState => {
  const { pausedSince, ...rest } = state
  return pausedSince === undefined
    ? state
    : { ...rest, activeSince: at, ...(state.waitUntil === undefined ? {} : { waitingSince: at }) }
}

/** Milliseconds of all waits, that under way among them. */
export const waitedUntil = ({ waitedMs, waitingSince }: RunState, at: number): number =>
  waitedMs + (waitingSince === undefined ? 0 : at - waitingSince)
