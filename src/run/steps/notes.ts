import { createHash } from 'node:crypto'
import type { Role } from '../../agents/agent.ts'
import { commitWordsOf, parseNotes, resetLines, withoutReset } from '../../loop/notes.ts'
import { unlessWorker } from '../../loop/session.ts'
import { atomicUpdate } from '../../system/atomic-write.ts'
import type { RunContext } from '../context.ts'
import { notesOf, readNotes } from '../folder.ts'

/** Reads the notes of a role; a `RESET: TRUE` line is taken out once it has been recorded, so that it holds for one turn. */
export const takeNotes = async ({ loop, record }: RunContext, role: Role): Promise<void> => {
  const file = notesOf(loop, role)
  const text = readNotes(file)
  const { keep, reset } = parseNotes(text)
  const words = role === 'worker' ? commitWordsOf(text) : undefined
  record({
    type: 'notes.read',
    ...unlessWorker(role),
    keep: keep === undefined ? null : [...keep],
    reset,
    digest: digestOfNotes(text),
    ...(words === undefined ? {} : { commit: words }),
  })
  if (reset) await takeResetOut(file)
}

/** Of the notes without the lines that yoke takes out. */
export const digestOfNotes = (text: string): string => digestOf(withoutReset(text))

/** Tells one text from another in the events. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Takes the `RESET: TRUE` lines out; every other byte stays, also of what an agent writes at the same time. */
export const takeResetOut = (file: string): Promise<void> =>
  atomicUpdate(file, (bytes) => {
    const taken = new Set(resetLines(bytes.toString('utf8')))
    if (taken.size === 0) return bytes
    const mark = bytes.indexOf('\uFEFF') === 0 ? 3 : 0
    const kept = linesOf(bytes.subarray(mark)).filter((_, index) => !taken.has(index))
    return Buffer.concat([bytes.subarray(0, mark), ...kept])
  })

/** The lines of a text that may hold bytes which are no UTF-8, each with its line feed. */
const linesOf = (bytes: Buffer): readonly Buffer[] => {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from)
    const to = end === -1 ? bytes.length : end + 1
    lines.push(bytes.subarray(from, to))
    from = to
  }
  return lines
}
