/** The output of OpenCode's `read`, taken apart. */
export type ReadText = {
  readonly style: Style
  readonly path: string
  /** The number of the first line. */
  readonly start: number
  readonly lines: readonly string[]
  readonly footer: string
  /** Instructions from the folder of the file, which some releases put behind it. */
  readonly suffix: string
}

/** How releases count lines and say what is missing. */
type Style = {
  /** Between the tag and the first line. */
  readonly lead: string
  readonly linesOf: (text: string) => readonly string[]
  /** What stands below lines that are not the last of `total`. */
  readonly more: (start: number, end: number, total: number) => string
  /** What stands below lines that together are too large. */
  readonly capped: (start: number, end: number) => string
}

/** Any kind of line end, none behind the last line, no byte order mark. */
const plainLines = (text: string): readonly string[] => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

const newer: Style = {
  lead: '\n',
  linesOf: plainLines,
  more: (start, end, total) =>
    `Showing lines ${start}-${end} of ${total}. Use offset=${end + 1} to continue.`,
  capped: (start, end) =>
    `Output capped at 50 KB. Showing lines ${start}-${end}. Use offset=${end + 1} to continue.`,
}

/** 1.18.33, 1.1.65 and 1.2.27, as measured. */
const styles: readonly Style[] = [
  newer,
  {
    lead: '',
    // A final newline begins an empty line.
    linesOf: (text) => text.split('\n'),
    more: (_start, end) => `File has more lines. Use 'offset' parameter to read beyond line ${end}`,
    capped: (_start, end) =>
      `Output truncated at 51200 bytes. Use 'offset' parameter to read beyond line ${end}`,
  },
  { ...newer, lead: '' },
]

const form =
  /^<path>(?<path>[^\n]*)<\/path>\n<type>file<\/type>\n<content>(?<lead>\n?)(?<body>\d+: [\s\S]*)\n\n\((?<footer>[^\n]*)\)\n<\/content>(?<suffix>(?:\n\n<system-reminder>[\s\S]*<\/system-reminder>)?)$/

/**
 * The forms that the text may have, the likeliest first; none when yoke can render it byte for byte in no form. Two releases differ
 * only at the end of a file, where an empty last line may be one of the file or not.
 */
export const readForms = (text: string): readonly ReadText[] => {
  const { path = '', lead, body = '', footer = '', suffix = '' } = form.exec(text)?.groups ?? {}
  const start = Number.parseInt(body, 10)
  const lines = body.split('\n').map((row, index) => row.slice(`${start + index}: `.length))
  return styles
    .filter((style) => style.lead === lead && fits(style, start, lines, footer))
    .map((style) => ({ style, path, start, lines, footer, suffix }))
    .filter((each) => renderReadText(each) === text)
}

const fits = (style: Style, start: number, lines: readonly string[], footer: string): boolean => {
  const end = start + lines.length - 1
  if (footer === endOfFile(end)) return style.linesOf('\n').length === 1 || lines.at(-1) === ''
  const total = Number(/ of (\d+)\. /.exec(footer)?.[1] ?? 0)
  return footer === style.more(start, end, total) || footer === style.capped(start, end)
}

const endOfFile = (total: number): string => `End of file - total ${total} lines`

export const renderReadText = ({ style, path, start, lines, footer, suffix }: ReadText): string =>
  [
    `<path>${path}</path>`,
    '<type>file</type>',
    `<content>${style.lead}${lines.map((line, index) => `${start + index}: ${line}`).join('\n')}`,
    '',
    `(${footer})`,
    `</content>${suffix}`,
  ].join('\n')

const mostLines = 2000
const longestLine = 2000
const mostBytes = 50 * 1024

/** The same read of a file of now: from the same line on, `limit` lines at most, each of them and all together cut to a size. */
export const readAgain = (old: ReadText, bytes: Buffer, limit = mostLines): ReadText => {
  const { style, start } = old
  const file = style.linesOf(bytes.toString('utf8'))
  const wanted = file.slice(start - 1, start - 1 + limit).map(cutLine)
  let size = 0
  const tooMuch = wanted.findIndex((line, index) => {
    size += Buffer.byteLength(line) + (index === 0 ? 0 : 1)
    return size > mostBytes
  })
  const lines = tooMuch === -1 ? wanted : wanted.slice(0, tooMuch)
  const end = start + lines.length - 1
  const whole = end < file.length ? style.more(start, end, file.length) : endOfFile(file.length)
  return { ...old, lines, footer: tooMuch === -1 ? whole : style.capped(start, end) }
}

const cutLine = (line: string): string =>
  line.length > longestLine
    ? `${line.slice(0, longestLine)}... (line truncated to ${longestLine} chars)`
    : line
