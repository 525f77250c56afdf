/** The output of OpenCode's `read`, taken apart (1.18.33). */
export type ReadText = {
  readonly path: string
  /** The number of the first line. */
  readonly start: number
  readonly lines: readonly string[]
  readonly footer: string
  /** Instructions from the folder of the file, which some releases put behind it. */
  readonly suffix: string
}

const form =
  /^<path>(?<path>[^\n]*)<\/path>\n<type>file<\/type>\n<content>\n(?<body>[\s\S]*)\n\n\((?<footer>End of file - total \d+ lines|Showing lines \d+-\d+ of \d+\. Use offset=\d+ to continue\.|Output capped at 50 KB\. Showing lines \d+-\d+\. Use offset=\d+ to continue\.)\)\n<\/content>(?<suffix>(?:\n\n<system-reminder>[\s\S]*<\/system-reminder>)?)$/

/** Undefined when the text is in no form that yoke can render byte for byte. */
export const parseReadText = (text: string): ReadText | undefined => {
  const { path, body, footer, suffix } = form.exec(text)?.groups ?? {}
  if (path === undefined || body === undefined || footer === undefined) return undefined
  const start = Number(/^(\d+): /.exec(body)?.[1])
  if (!Number.isInteger(start)) return undefined
  const rows = body.split('\n')
  const lines = rows.map((row, index) => row.slice(`${start + index}: `.length))
  const parsed = { path, start, lines, footer, suffix: suffix ?? '' }
  return renderReadText(parsed) === text ? parsed : undefined
}

export const renderReadText = ({ path, start, lines, footer, suffix }: ReadText): string =>
  [
    `<path>${path}</path>`,
    '<type>file</type>',
    '<content>',
    ...lines.map((line, index) => `${start + index}: ${line}`),
    '',
    `(${footer})`,
    `</content>${suffix}`,
  ].join('\n')

const mostLines = 2000
const longestLine = 2000
const mostBytes = 50 * 1024

/** The part of a file that `read` shows: from line `start`, `limit` lines at most, each of them and all together cut to a size. */
export const readFile = (
  file: readonly string[],
  start: number,
  limit = mostLines,
): Pick<ReadText, 'lines' | 'footer'> => {
  const wanted = file.slice(start - 1, start - 1 + limit).map(cutLine)
  let bytes = 0
  const tooMuch = wanted.findIndex((line, index) => {
    bytes += Buffer.byteLength(line) + (index === 0 ? 0 : 1)
    return bytes > mostBytes
  })
  const lines = tooMuch === -1 ? wanted : wanted.slice(0, tooMuch)
  const end = start + lines.length - 1
  if (tooMuch !== -1)
    return {
      lines,
      footer: `Output capped at 50 KB. Showing lines ${start}-${end}. Use offset=${end + 1} to continue.`,
    }
  return end < file.length
    ? { lines, footer: `Showing lines ${start}-${end} of ${file.length}. Use offset=${end + 1} to continue.` }
    : { lines, footer: `End of file - total ${file.length} lines` }
}

const cutLine = (line: string): string =>
  line.length > longestLine
    ? `${line.slice(0, longestLine)}... (line truncated to ${longestLine} chars)`
    : line

/** The lines of a file as `read` counts them: any kind of line end, none behind the last one, no byte order mark. */
export const fileLines = (bytes: Buffer): readonly string[] => {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  const lines = text.split(/\r\n|\n|\r/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
