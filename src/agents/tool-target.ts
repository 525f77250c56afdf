/** Input keys that say what a tool works on, the most telling first: `Grep` has a pattern and a path. */
const telling = [
  'file_path',
  'filePath',
  'notebook_path',
  'command',
  'pattern',
  'query',
  'url',
  'skill',
  'description',
  'path',
  'subject',
  'prompt',
]

const longest = 200

/** The file, command or pattern that a tool call works on, as one line for people; empty when its input has none. */
export const toolTarget = (input: unknown): string => {
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Readonly<Record<string, unknown>>
  const found = telling.map((key) => fields[key]).find((value) => typeof value === 'string' && value !== '')
  const line = typeof found === 'string' ? found.replace(/\s+/g, ' ').trim() : ''
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
