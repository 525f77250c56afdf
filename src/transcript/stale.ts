import type { Read } from './reads.ts'
import { blocksOf, type SessionRecord } from './record.ts'
import { fileLines, isUtf16, parseReadText, renderReadText } from './render-read.ts'
import { judgeFile, type Showing, type Worth } from './stale-policy.ts'

export type Rendered = {
  /** The new text of the result, in the form of the old one. */
  readonly text: string
  /** The same without line numbers, as the CLI keeps it beside the message. */
  readonly content: string
  readonly numLines: number
  readonly totalLines: number
}

/** Tokens of one Read's result above which the CLI cuts it (measured on 2.1.332: "cap 25000"), in bytes. */
const maxBytes = 100_000

/** Compares a Read with the file on disk. `record` holds its result. */
export const judgeRead = (read: Read, record: SessionRecord, policy: 'refresh' | 'drop'): Worth<Rendered> =>
  judgeFile(read.path, Date.parse(record.timestamp ?? ''), policy, showingOf(read, record))

const showingOf = (read: Read, record: SessionRecord): Showing<Rendered> | undefined => {
  const old = shownText(read, record)
  const form = old === undefined ? undefined : parseReadText(old)
  if (old === undefined || form === undefined) return undefined
  return {
    readsBinary: isUtf16,
    show: (bytes) => {
      const all = fileLines(bytes)
      const lines = all.slice(form.start - 1, endOf(read, record, form))
      const text = renderReadText({ ...form, lines })
      return {
        isSame:
          lines.length === form.lines.length && lines.every((line, index) => line === form.lines[index]),
        lines: lines.length,
        isTooLarge: Buffer.byteLength(text) > Math.max(maxBytes, Buffer.byteLength(old)),
        now: { text, content: lines.join('\n'), numLines: lines.length, totalLines: all.length },
      }
    },
  }
}

/** Where the slice ends: a Read to the end goes to the end of the file of now; one that was cut goes as far as it did. */
const endOf = (
  read: Read,
  record: SessionRecord,
  form: { start: number; lines: readonly string[] },
): number => {
  if (read.limit !== undefined) return form.start - 1 + read.limit
  const oldEnd = form.start - 1 + form.lines.length
  const total = fileOf(read, record)?.['totalLines']
  const wasCut = typeof total === 'number' ? oldEnd < total : form.lines.length >= 2000
  return wasCut ? oldEnd : Number.POSITIVE_INFINITY
}

/** The CLI's own copy of what was read. */
export const fileOf = (read: Read, record: SessionRecord): Readonly<Record<string, unknown>> | undefined => {
  const holder = read.kind === 'pair' ? record.toolUseResult : record.attachment?.['content']
  const file = (holder as { readonly file?: unknown } | null | undefined)?.file
  return typeof file === 'object' && file !== null ? (file as Readonly<Record<string, unknown>>) : undefined
}

/** The text that the model was shown; undefined when it is no single text. */
export const shownText = (read: Read, record: SessionRecord): string | undefined => {
  if (read.content !== 'text') return undefined
  if (read.kind === 'attachment') return attachmentText(record)
  const content = blocksOf(record).find((block) => block.tool_use_id === read.id)?.content
  return typeof content === 'string' ? content : undefined
}

/** How an attached file is shown: the result of a Read that the model did not ask for. */
export const attachmentFrame =
  /^(<system-reminder>\nResult of calling the Read tool:\n)([\s\S]*)(\n<\/system-reminder>)$/

const attachmentText = (record: SessionRecord): string | undefined => {
  const { rendered } = record
  if (!Array.isArray(rendered)) return undefined
  for (const part of rendered) {
    const text = attachmentFrame.exec(String((part as { content?: unknown } | null)?.content))?.[2]
    if (text !== undefined) return text
  }
  return undefined
}
