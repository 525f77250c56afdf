import { createHash } from 'node:crypto'
import { parseNotes, withoutReset } from '../../loop/notes.ts'
import { atomicWrite } from '../../system/atomic-write.ts'
import type { RunContext } from '../context.ts'
import { readNotes } from '../folder.ts'

/** Reads the notes; a `RESET: TRUE` line is taken out once it has been recorded, so that it holds for one iteration. */
export const takeNotes = async ({ loop, record }: RunContext): Promise<void> => {
  const text = await readNotes(loop.notes)
  const { keep, reset } = parseNotes(text)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  record({ type: 'notes.read', keep: keep === undefined ? null : [...keep], reset, digest })
  if (reset) await atomicWrite(loop.notes, withoutReset(text))
}
