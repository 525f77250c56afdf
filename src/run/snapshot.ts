import type { RunEvent } from '../events.ts'
import type { Run } from '../loop/run.ts'
import { atomicWrite } from '../system/atomic-write.ts'
import type { RunFolder } from './folder.ts'

/**
 * Writes the state of a run for people and other tools to read; yoke itself reads the events. Events come faster than a
 * disk can sync, so only the newest state waits to be written.
 */
export const snapshotWriter = (run: RunFolder) => {
  let pending: Run | undefined
  let writing = Promise.resolve()
  const write = async () => {
    const state = pending
    pending = undefined
    if (state === undefined) return
    const { loop, ...rest } = state
    await atomicWrite(run.state, `${JSON.stringify({ run: run.id, ...loop, ...rest }, undefined, 2)}\n`)
  }
  return {
    update: (state: Run): void => {
      const idle = pending === undefined
      pending = state
      if (idle) writing = writing.then(write)
    },
    flush: (): Promise<void> => writing,
  }
}

/** Role -> the ids of its sessions, oldest first. */
export type Lineage = Readonly<Record<string, readonly string[]>>

/** The lineage after one more event. */
export const extendLineage = (lineage: Lineage, event: RunEvent): Lineage => {
  if (event.type !== 'session.opened') return lineage
  const known = lineage[event.role] ?? []
  return known.at(-1) === event.session ? lineage : { ...lineage, [event.role]: [...known, event.session] }
}
