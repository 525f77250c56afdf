import type { RunContext } from '../context.ts'
import { readNotes } from '../folder.ts'
import { progressFingerprint } from '../progress.ts'

/** Ends the iteration with a fingerprint of what it left behind. */
export const measureProgress = async ({ project, loop, record, state }: RunContext): Promise<void> => {
  const progress = await progressFingerprint(project, await readNotes(loop.notes))
  record({ type: 'iteration.finished', iteration: state().iteration, progress })
}
