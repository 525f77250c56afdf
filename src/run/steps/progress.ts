import type { RunContext } from '../context.ts'

/** Ends the iteration with a fingerprint of what it left behind. */
export const measureProgress = async ({ fingerprint, record, state }: RunContext): Promise<void> => {
  const progress = await fingerprint.take()
  record({ type: 'iteration.finished', iteration: state().iteration, progress })
}
