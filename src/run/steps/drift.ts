import { type Drift, describeDifference } from '../../drift/drift.ts'
import type { RunContext } from '../context.ts'

/** Tells what yoke does not know of a session, each name once a run. */
export const tellSessionDrift = (context: RunContext, session: string, drift: Drift | undefined): void => {
  if (drift === undefined || drift.verdict === 'known') return
  const told = context.state().drift
  const fresh = drift.differences.filter(({ name }) => !told.includes(name))
  if (fresh.length === 0) return
  context.record({
    type: 'drift.found',
    where: 'session',
    verdict: fresh.some(({ level }) => level === 'breaking') ? 'breaking' : 'additive',
    session,
    versions: [...drift.versions],
    names: fresh.map(({ name }) => name),
    details: fresh.map(describeDifference),
  })
}

/** The same of the events that the agent printed. */
export const tellStreamDrift = (
  context: RunContext,
  version: string,
  unknownEvents: ReadonlyMap<string, number>,
): void => {
  const told = context.state().drift
  const fresh = [...unknownEvents].filter(([name]) => !told.includes(name))
  if (fresh.length === 0) return
  context.record({
    type: 'drift.found',
    where: 'stream',
    verdict: 'additive',
    versions: version === '' ? [] : [version],
    names: fresh.map(([name]) => name),
    details: fresh.map(([name, count]) => `unknown event ${name}, ${count} times`),
  })
}
