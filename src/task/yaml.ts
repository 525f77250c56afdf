import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { exitCode, YokeError } from '../errors.ts'

/** A YAML mapping and the line on which each of its keys stands, counted from 1. */
export type Mapping = {
  readonly values: Readonly<Record<string, unknown>>
  readonly lines: Readonly<Record<string, number>>
}

/**
 * Reads a YAML 1.2 mapping; an empty text is an empty mapping. `offset` is the number of lines before the text in
 * the file `where`. Throws `E_TASK_YAML` with line and column for whatever is not one clean mapping: bad syntax,
 * duplicate keys, several documents, unknown tags, an alias that grows without measure.
 */
export const parseMapping = (text: string, where: string, offset = 0): Mapping => {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, version: '1.2' })
  const place = (position: number) => {
    const { line, col } = counter.linePos(position)
    return `${where}:${line + offset}:${col}`
  }
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined) throw notYaml(`${place(problem.pos[0])}: ${sentence(problem.message)}`)
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return { values: {}, lines: {} }
  if (!isMap(contents))
    throw notYaml(
      `${place(contents.range?.[0] ?? 0)}: Directives are a mapping (\`key: value\` lines), but this is not one.`,
    )
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) === undefined)
        throw notYaml(`${place(alias.range?.[0] ?? 0)}: The alias *${alias.source} has no anchor before it.`)
    },
  })
  const lines: [string, number][] = []
  for (const { key } of contents.items) {
    if (!isScalar(key))
      throw notYaml(`${place(contents.range?.[0] ?? 0)}: The name of a directive must be plain text.`)
    lines.push([String(key.value), counter.linePos(key.range?.[0] ?? 0).line + offset])
  }
  try {
    return { values: document.toJS(), lines: Object.fromEntries(lines) }
  } catch (error) {
    throw notYaml(`${where}: ${sentence(error instanceof Error ? error.message : String(error))}`)
  }
}

const sentence = (message: string): string => message.trim().replace(/[.:]?$/, '.')

const notYaml = (message: string) =>
  new YokeError(
    'E_TASK_YAML',
    message,
    'Correct the YAML there; a value with a colon, a hash or a quote in it needs quotes around it.',
    exitCode.usage,
  )
