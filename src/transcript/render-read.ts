/** A Read's result text, taken apart. */
export type ReadText = {
  readonly style: Style
  /** The number of the first line. */
  readonly start: number
  readonly lines: readonly string[]
  /** A reminder that some releases put behind the file. */
  readonly suffix: string
}

type Style = { readonly width: number; readonly mark: string }

/** How releases number lines: `1<TAB>text` (2.1.332), `     1→text` (1.0 and later). */
const styles: readonly Style[] = [
  { width: 0, mark: '\t' },
  { width: 6, mark: '→' },
  { width: 6, mark: '\t' },
  { width: 0, mark: '→' },
]

const suffixes = /^(?:\n+<system-reminder>[\s\S]*<\/system-reminder>\s*)?$/

/** Undefined when the text is in no form that yoke can render byte for byte. */
export const parseReadText = (text: string): ReadText | undefined => {
  for (const style of styles) {
    const start = Number(/^ *(\d+)/.exec(text)?.[1])
    if (!Number.isInteger(start)) return undefined
    const rows = text.split('\n')
    const lines: string[] = []
    for (const row of rows) {
      const prefix = numbered(style, start + lines.length)
      if (!row.startsWith(prefix)) break
      lines.push(row.slice(prefix.length))
    }
    if (lines.length === 0) continue
    const rest = rows.slice(lines.length)
    const suffix = rest.length === 0 ? '' : `\n${rest.join('\n')}`
    const parsed = { style, start, lines, suffix }
    if (suffixes.test(suffix) && renderReadText(parsed) === text) return parsed
  }
  return undefined
}

export const renderReadText = ({ style, start, lines, suffix }: ReadText): string =>
  lines.map((line, index) => numbered(style, start + index) + line).join('\n') + suffix

const numbered = ({ width, mark }: Style, number: number): string => String(number).padStart(width) + mark

/** The lines of a file as the Read tool counts them: CRLF is LF, a byte order mark goes, a final newline begins an empty line. */
export const fileLines = (bytes: Buffer): readonly string[] =>
  decode(bytes).replaceAll('\r\n', '\n').split('\n')

const decode = (bytes: Buffer): string =>
  (isUtf16(bytes) ? bytes.toString('utf16le') : bytes.toString('utf8')).replace(/^\uFEFF/, '')

/** By its byte order mark. */
export const isUtf16 = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xfe
