import { expect, it } from 'vitest'
import type { NewEvent, RunEvent } from '../../src/events.ts'
import { extendLineage, type Lineage } from '../../src/run/lineage.ts'
import { opened } from '../helpers/events.ts'

const lineageOf = (events: readonly NewEvent[]): Lineage =>
  events
    .map((event) => ({ ...event, at: '2026-12-01T09:00:00.000Z', run: 'r' }) as RunEvent)
    .reduce(extendLineage, {})

it('lists the sessions of each role in order, one that goes on once', () => {
  expect(
    lineageOf([
      opened('a'),
      { type: 'session.opened', role: 'periodic:docs', session: 'd' },
      opened('a'),
      opened('b'),
    ]),
  ).toEqual({ worker: [{ id: 'a' }, { id: 'b' }], 'periodic:docs': [{ id: 'd' }] })
})

it('marks the ones that were left, and says why', () => {
  expect(
    lineageOf([
      opened('a'),
      { type: 'session.stale', session: 'a', reason: 'No conversation found' },
      opened('b'),
      { type: 'session.forked', session: 'b', reason: 'RESET' },
      { type: 'session.opened', role: 'periodic:docs', session: 'd' },
      { type: 'session.stale', role: 'periodic:docs', session: 'd', reason: 'gone' },
    ]),
  ).toEqual({
    worker: [
      { id: 'a', stale: 'No conversation found' },
      { id: 'b', forked: 'RESET' },
    ],
    'periodic:docs': [{ id: 'd', stale: 'gone' }],
  })
})

it('goes on with the id that a trim gave the session', () => {
  const trimmed: NewEvent = {
    type: 'trim.applied',
    session: 'a',
    newSession: 'a2',
    kept: [],
    tokensBefore: 1,
    tokensAfter: 1,
    bytesBefore: 1,
    bytesAfter: 1,
    refreshed: [],
    dropped: [],
    unmatched: [],
    durationMs: 1,
  }
  expect(lineageOf([opened('a'), trimmed])).toEqual({
    worker: [{ id: 'a' }, { id: 'a2' }],
  })
})

it('marks the session of every role when the project was moved away from them', () => {
  const moved: NewEvent = { type: 'run.resumed', yoke: '', directives: {}, cwd: '/new', movedFrom: '/old' }
  const forked = 'the project is no longer in /old, where the agent would go on'
  expect(
    lineageOf([
      opened('a'),
      { type: 'session.stale', session: 'a', reason: 'gone' },
      opened('b'),
      { type: 'session.opened', role: 'periodic:docs', session: 'd' },
      moved,
      opened('c'),
    ]),
  ).toEqual({
    worker: [{ id: 'a', stale: 'gone' }, { id: 'b', forked }, { id: 'c' }],
    'periodic:docs': [{ id: 'd', forked }],
  })
})
