import { lookAtFile, type StaleReason } from '../../transcript/read-file.ts'
import type { Read } from '../../transcript/reads.ts'
import { readAgain, readForms, renderReadText } from './read-text.ts'
import type { Part } from './session-schema.ts'

/** What a kept read is worth now. */
export type Judgement =
  | { readonly state: 'fresh' }
  | { readonly state: 'refreshed'; readonly output: string; readonly lines: readonly string[] }
  | { readonly state: 'dropped'; readonly reason: StaleReason }

const dropped = (reason: StaleReason): Judgement => ({ state: 'dropped', reason })

/** Compares a read with the file on disk; the policy is that of Claude's sessions (design of the trim, "stale reads"). */
export const judgeRead = (read: Read, part: Part, policy: 'refresh' | 'drop'): Judgement => {
  const file = lookAtFile(read.path)
  if (typeof file === 'string') return dropped(file)
  const old = part.state?.output ?? ''
  const forms = read.content === 'text' ? readForms(old) : []
  const [form] = forms
  if (form === undefined) {
    const readAt = part.state?.time?.end ?? part.state?.time?.start ?? 0
    return file.mtimeMs <= readAt ? { state: 'fresh' } : dropped('changed, and its form is unknown')
  }
  if (file.bytes.subarray(0, 8192).includes(0)) return dropped('binary')
  if (file.bytes.length === 0) return dropped('empty')
  const isFresh = forms.some((each) => renderReadText(readAgain(each, file.bytes, read.limit)) === old)
  if (isFresh) return { state: 'fresh' }
  const now = readAgain(form, file.bytes, read.limit)
  if (now.lines.length === 0) return dropped('shorter than the offset')
  const output = renderReadText(now)
  return policy === 'drop' ? dropped('changed') : { state: 'refreshed', output, lines: now.lines }
}
