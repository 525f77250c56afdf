import type { RunEvent } from '../events.ts'
import type { Run } from '../loop/run.ts'
import { atomicWrite } from '../system/atomic-write.ts'
import { fileFormat } from '../system/file-format.ts'
import type { RunFolder } from './folder.ts'
import { extendLineage, type Lineage } from './lineage.ts'

/**
 * Writes what follows from the events of a run, for people and other tools to read; yoke itself reads the events. Events come
 * faster than a disk can sync, so only the newest state of a while is written, and one that cannot be written stops nothing.
 */
export const snapshotWriter = (run: RunFolder, past: readonly RunEvent[]) => {
  let lineage: Lineage = past.reduce(extendLineage, {})
  let writtenLineage: Lineage | undefined
  let pending: Run | undefined
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const write = async () => {
    const state = pending
    pending = undefined
    if (state === undefined) return
    const { loop, ...rest } = state
    try {
      await atomicWrite(run.state, asText({ format: fileFormat, run: run.id, ...loop, ...rest }))
      if (lineage === writtenLineage) return
      const newest = lineage
      await atomicWrite(run.sessions, asText(newest))
      writtenLineage = newest
    } catch {
      // The log meets the same fault, and says so.
    }
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  return {
    update: (state: Run, event: RunEvent): void => {
      lineage = extendLineage(lineage, event)
      pending = state
      timer ??= setTimeout(flush, settleMs)
    },
    flush,
  }
}

/** Events come in bursts between two starts of an agent, when everybody waits for yoke. */
const settleMs = 100

const asText = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`
