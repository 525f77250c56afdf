/** A stretch of bytes, `end` excluded. */
export type Span = { readonly start: number; readonly end: number }

/** What to put in place of a stretch; an insertion has `start === end`. */
export type Edit = Span & { readonly text: string }

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

const skipSpace = (bytes: Buffer, at: number): number => {
  let index = at
  while (isSpace(bytes[index])) index += 1
  return index
}

/** The index behind the closing quote of the string that opens at `at`; -1 when it is never closed. */
const skipString = (bytes: Buffer, at: number): number => {
  let end = bytes.indexOf(quote, at + 1)
  while (end !== -1) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === backslash) slashes += 1
    if (slashes % 2 === 0) return end + 1
    end = bytes.indexOf(quote, end + 1)
  }
  return -1
}

/** The index behind the JSON value that begins at `at`; -1 when it does not end. The bytes are taken to be well-formed up to there. */
export const skipValue = (bytes: Buffer, at: number): number => {
  let depth = 0
  let index = at
  while (index < bytes.length) {
    const byte = bytes[index]
    if (byte === quote) {
      index = skipString(bytes, index)
      if (index === -1) return -1
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1
      index += 1
      continue
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1
      index += 1
    } else if (isSpace(byte) || byte === comma || byte === colon) {
      index += 1
      continue
    } else {
      while (index < bytes.length && !isDelimiter(bytes[index])) index += 1
    }
    if (depth === 0) return index
  }
  return -1
}

const isDelimiter = (byte: number | undefined) =>
  byte === comma || byte === colon || byte === closeBrace || byte === closeBracket || isSpace(byte)

/** The values of the array or object at `container`, with their keys; of a key that stands twice the last counts, as in JSON.parse. */
const members = (bytes: Buffer, container: Span): ReadonlyMap<string | number, Span> => {
  const found = new Map<string | number, Span>()
  const isObject = bytes[container.start] === openBrace
  if (!isObject && bytes[container.start] !== openBracket) return found
  let index = skipSpace(bytes, container.start + 1)
  while (index < container.end - 1) {
    let key: string | number = found.size
    if (isObject) {
      const keyEnd = skipString(bytes, index)
      key = JSON.parse(bytes.toString('utf8', index, keyEnd)) as string
      index = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
    }
    const end = skipValue(bytes, index)
    found.set(key, { start: index, end })
    index = skipSpace(bytes, end)
    if (bytes[index] === comma) index = skipSpace(bytes, index + 1)
  }
  return found
}

export type Path = readonly (string | number)[]

/** Where the value at `path` stands in a line that holds one valid JSON text; undefined when there is none. */
export const valueSpan = (bytes: Buffer, path: Path): Span | undefined => {
  let span: Span | undefined = wholeSpan(bytes)
  for (const key of path) {
    if (span === undefined) return undefined
    span = members(bytes, span).get(key)
  }
  return span
}

const wholeSpan = (bytes: Buffer): Span => {
  const start = skipSpace(bytes, 0)
  return { start, end: skipValue(bytes, start) }
}

/** Puts `value` at `path`; a key that is missing in its object is put in as the first one. */
export const setValue = (bytes: Buffer, path: Path, value: unknown): Edit => {
  const text = JSON.stringify(value)
  const present = valueSpan(bytes, path)
  if (present !== undefined) return { ...present, text }
  const parent = valueSpan(bytes, path.slice(0, -1))
  const key = path.at(-1)
  if (parent === undefined || typeof key !== 'string' || bytes[parent.start] !== openBrace)
    throw new Error(`no object holds ${path.join('.')}`)
  const isEmpty = bytes[skipSpace(bytes, parent.start + 1)] === closeBrace
  return {
    start: parent.start + 1,
    end: parent.start + 1,
    text: `${JSON.stringify(key)}:${text}${isEmpty ? '' : ','}`,
  }
}

/** Takes all but some elements out of the array at `path`; those that stay keep their bytes. */
export const keepElements = (
  bytes: Buffer,
  path: Path,
  keep: (index: number) => boolean,
): Edit | undefined => {
  const array = valueSpan(bytes, path)
  if (array === undefined) return undefined
  const elements = [...members(bytes, array).values()]
  const kept = elements.filter((_, index) => keep(index))
  if (kept.length === elements.length) return undefined
  return { ...array, text: `[${kept.map(({ start, end }) => bytes.toString('utf8', start, end)).join(',')}]` }
}

/** Sets every number within the value at `path` to 0 and leaves its shape. */
export const zeroNumbers = (bytes: Buffer, path: Path): readonly Edit[] => {
  const span = valueSpan(bytes, path)
  if (span === undefined) return []
  const edits: Edit[] = []
  let index = span.start
  while (index < span.end) {
    const byte = bytes[index] ?? 0
    if (byte === quote) index = skipString(bytes, index)
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const start = index
      while (index < span.end && !isDelimiter(bytes[index])) index += 1
      if (bytes.toString('latin1', start, index) !== '0') edits.push({ start, end: index, text: '0' })
    } else index += 1
  }
  return edits
}

/** The bytes with all edits made. Edits must not overlap; of insertions at one place the first comes first. */
export const applyEdits = (bytes: Buffer, edits: readonly Edit[]): Buffer => {
  const ordered = [...edits].sort((a, b) => a.start - b.start)
  const parts: Buffer[] = []
  let at = 0
  for (const { start, end, text } of ordered) {
    if (start < at) throw new Error('edits overlap')
    parts.push(bytes.subarray(at, start), Buffer.from(text))
    at = end
  }
  parts.push(bytes.subarray(at))
  return Buffer.concat(parts)
}
