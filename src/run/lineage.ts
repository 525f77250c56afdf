import type { RunEvent } from '../events.ts'

/** A session in which a role went on. Why it does so no longer is kept: the agent refused it, or it was left for a fresh one. */
export type LineageEntry = { readonly id: string; readonly stale?: string; readonly forked?: string }

/** Role -> its sessions, oldest first. */
export type Lineage = Readonly<Record<string, readonly LineageEntry[]>>

/** The lineage after one more event; the same object when it changes nothing. */
export const extendLineage = (lineage: Lineage, event: RunEvent): Lineage => {
  switch (event.type) {
    case 'session.opened':
      return opened(lineage, event.role, event.session)
    case 'trim.applied':
      return event.newSession === undefined
        ? lineage
        : opened(lineage, event.role ?? 'worker', event.newSession)
    case 'run.resumed':
      return event.movedFrom === undefined
        ? lineage
        : allLeft(lineage, `the project is no longer in ${event.movedFrom}, where the agent would go on`)
    case 'session.stale':
      return left(lineage, event.role ?? 'worker', { id: event.session, stale: event.reason })
    case 'session.forked':
      return left(lineage, event.role ?? 'worker', { id: event.session, forked: event.reason })
    default:
      return lineage
  }
}

const opened = (lineage: Lineage, role: string, id: string): Lineage => {
  const known = lineage[role] ?? []
  return known.at(-1)?.id === id ? lineage : { ...lineage, [role]: [...known, { id }] }
}

/** The session that each role went on with, unless it had left that already. */
const allLeft = (lineage: Lineage, forked: string): Lineage =>
  Object.fromEntries(
    Object.entries(lineage).map(([role, entries]) => [
      role,
      entries.map((each, index) =>
        index < entries.length - 1 || each.stale !== undefined || each.forked !== undefined
          ? each
          : { ...each, forked },
      ),
    ]),
  )

const left = (lineage: Lineage, role: string, entry: LineageEntry): Lineage => ({
  ...lineage,
  [role]: (lineage[role] ?? []).map((each) => (each.id === entry.id ? entry : each)),
})
