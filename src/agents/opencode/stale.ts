import type { Read } from '../../transcript/reads.ts'
import { judgeFile, type Showing, type Worth } from '../../transcript/stale-policy.ts'
import { readAgain, readForms, renderReadText } from './read-text.ts'
import type { Part } from './session-schema.ts'

/** The output of a read as it would be now. */
export type ShownNow = { readonly output: string; readonly lines: readonly string[] }

/** Compares a read with the file on disk. */
export const judgeRead = (read: Read, part: Part, policy: 'refresh' | 'drop'): Worth<ShownNow> => {
  const readAt = part.state?.time?.end ?? part.state?.time?.start ?? 0
  return judgeFile(read.path, readAt, policy, showingOf(read, part.state?.output ?? ''))
}

const showingOf = (read: Read, old: string): Showing<ShownNow> | undefined => {
  const forms = read.content === 'text' ? readForms(old) : []
  const [form] = forms
  if (form === undefined) return undefined
  return {
    // Of any encoding.
    readsBinary: () => false,
    show: (bytes) => {
      const { lines, ...now } = readAgain(form, bytes, read.limit)
      return {
        isSame: forms.some((each) => renderReadText(readAgain(each, bytes, read.limit)) === old),
        lines: lines.length,
        // What is too much it cuts off, and so does the rendering.
        isTooLarge: false,
        now: { output: renderReadText({ ...now, lines }), lines },
      }
    },
  }
}
