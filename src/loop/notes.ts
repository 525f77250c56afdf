/** What the worker's notes say to yoke. */
export type Notes = {
  /** Paths and globs in their order, each once; undefined when there is no `KEEP` line, which is not the same as none. */
  readonly keep: readonly string[] | undefined
  readonly reset: boolean
}

/**
 * Reads `.loop/notes.md`. The grammar, for a text of lines that end in LF or CRLF, a byte order mark before them ignored:
 *
 * 1. A line inside a fenced code block does not count. A fence is a run of three or more backticks or tildes, behind
 *    indentation, `>` and list markers; a backtick fence has no backtick in what follows it. It is closed by a line of
 *    nothing but a run of the same character that is at least as long, or by the end of the text.
 * 2. A directive is `KEEP`, `RESET` or `COMMIT`, in capitals, and a colon, with white space allowed before the colon. Before it
 *    may stand indentation, `>`, list markers, a check box and heading marks, and emphasis or backticks, which are
 *    closed before or behind the colon or at the end of the line: `- **KEEP:** a`, "`KEEP: a`". Within a sentence it does
 *    not count, nor in lower case: prose begins a line with "Keep:", and a session cut down by mistake is lost.
 * 3. `RESET:` asks for a fork when its first word is `true`, in any case and any quotes or emphasis. One such line is
 *    enough.
 * 4. `KEEP:` adds the entries behind it. When there are none, it adds those of the list items that follow it, with
 *    nothing but blank lines between; in an item an entry counts that is the first or stands behind a comma.
 * 5. Commas and white space part entries; a control character is white space. One pair of brackets around them is
 *    taken off: `[a, b]`. Commas within braces part nothing: `src/{a,b}.ts`.
 * 6. An entry may begin in quotes (`"`, `'`, a backtick, or the curly pairs), which hold everything up to the closing
 *    quote, without escapes; what adjoins belongs to it: `"my dir"/**`. A quote that is not closed on its line is left
 *    out. Within a bare entry a quote is a character like any other: `it's.md`.
 * 7. Behind a bare part, a line number (`:12`, `:12-40`, `:12:5`) and then `.`, `;` and `:` are left out, unless it is nothing
 *    but dots and slashes.
 * 8. A bare `none`, in any case, clears all entries before it, those of earlier lines too.
 * 9. Comments: `#` where an entry could begin, up to the end of the line; there as well `(...)` when white space, a comma,
 *    punctuation or the end follows, and `<!-- ... -->`; a lone dash or arrow behind an entry, up to the next comma.
 * 10. `COMMIT:` names the subject of the next commit; what follows, up to a blank line, a directive or a fence, is its body. The
 *    last such line counts. When it names none, the first line below it does.
 */
export const parseNotes = (text: string): Notes => {
  let keep: string[] | undefined
  let reset = false
  let awaitsItems = false
  const add = (entries: readonly Entry[]) => {
    keep ??= []
    for (const { text, isBare } of entries) {
      if (isBare && text.toLowerCase() === 'none') keep.length = 0
      else keep.push(text)
    }
  }
  for (const { content, isCode } of linesOf(text)) {
    const line = isCode ? undefined : directiveOf(content)
    if (line?.key === 'KEEP') {
      const entries = entriesOf(line.value)
      add(entries)
      awaitsItems = entries.length === 0
      continue
    }
    if (line?.key === 'RESET') reset ||= asksForReset(line.value)
    if (!awaitsItems || content.trim() === '') continue
    const item = isCode || line !== undefined ? undefined : listItem.exec(content)?.[1]
    if (item === undefined) awaitsItems = false
    else add(entriesOf(item).filter(({ leads }) => leads))
  }
  return { keep: keep && [...new Set(keep)], reset }
}

/** What a `COMMIT` line and the lines below it say for the next commit; undefined when there is none (§3.11). */
export const commitWordsOf = (
  text: string,
): { readonly subject: string; readonly body: string } | undefined => {
  const lines = linesOf(text)
  const at = lines.findLastIndex(({ content, isCode }) => !isCode && directiveOf(content)?.key === 'COMMIT')
  if (at === -1) return undefined
  const below = lines.slice(at + 1)
  const end = below.findIndex(
    ({ content, isCode }) => isCode || content.trim() === '' || directiveOf(content) !== undefined,
  )
  const body = below.slice(0, end === -1 ? below.length : end).map(({ content }) => content.trimEnd())
  const subject = directiveOf(lines[at]?.content ?? '')?.value || body.shift()?.replace(/^\s*[-*+]\s+/, '')
  return subject === undefined || subject.trim() === ''
    ? undefined
    : { subject: subject.trim(), body: body.join('\n') }
}

/** The lines that ask for a fork, counted from 0. */
export const resetLines = (text: string): readonly number[] =>
  linesOf(text).flatMap((line, index) => (isReset(line) ? [index] : []))

/** The notes without the lines that ask for a fork; every other character stays as it is. */
export const withoutReset = (text: string): string => {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  const kept = linesOf(text).filter((line) => !isReset(line))
  return mark + kept.map(({ raw }) => raw).join('')
}

const isReset = ({ content, isCode }: Line): boolean => {
  const line = isCode ? undefined : directiveOf(content)
  return line?.key === 'RESET' && asksForReset(line.value)
}

const byteOrderMark = '\uFEFF'

type Line = { readonly raw: string; readonly content: string; readonly isCode: boolean }

const opening = /^\s*(?:(?:>|[-*+]\s|\d{1,9}[.)]\s)\s*)*(?:(`{3,})[^`]*|(~{3,}).*)$/s
const closing = /^[\s>]*(`{3,}|~{3,})\s*$/

/** The lines of a text with their ends, and which of them belong to a fenced code block (CommonMark 0.31.2, §4.5). */
const linesOf = (text: string): readonly Line[] => {
  let fence: string | undefined
  return text
    .slice(text.startsWith(byteOrderMark) ? 1 : 0)
    .split(/(?<=\n)/)
    .map((raw) => {
      const content = raw.replace(/[\u0000-\u001f\u007f]/g, ' ')
      if (fence === undefined) {
        const [, backticks, tildes] = opening.exec(content) ?? []
        fence = backticks ?? tildes
        return { raw, content, isCode: fence !== undefined }
      }
      if (closing.exec(content)?.[1]?.startsWith(fence)) fence = undefined
      return { raw, content, isCode: true }
    })
}

const directive =
  /^\s*(?:>\s*|[-*+]\s+|\d{1,9}[.)]\s+|#{1,6}\s+)*(?:\[[ xX]\]\s+)?(\*{1,3}|_{1,3}|`{1,2}|~~)?(KEEP|RESET|COMMIT)(.*)$/s
const listItem = /^\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/s

/** Key and value of a directive line, with the emphasis around it taken off. */
const directiveOf = (content: string): { key: string; value: string } | undefined => {
  const [, emphasis = '', key, tail] = directive.exec(content) ?? []
  if (key === undefined || tail === undefined) return undefined
  const closedBefore = emphasis !== '' && tail.startsWith(emphasis)
  const [, value] = /^\s*:(.*)$/s.exec(closedBefore ? tail.slice(emphasis.length) : tail) ?? []
  if (value === undefined) return undefined
  if (emphasis === '' || closedBefore) return { key, value: value.trim() }
  if (value.startsWith(emphasis)) return { key, value: value.slice(emphasis.length).trim() }
  const trimmed = value.trim()
  return trimmed.endsWith(emphasis) ? { key, value: trimmed.slice(0, -emphasis.length).trim() } : undefined
}

const asksForReset = (value: string): boolean =>
  /^["'`*_“‘]*true(?![\p{L}\p{N}]|_+[\p{L}\p{N}])/iu.test(value)

/** `leads`: it is the first entry of its line, or a comma stands before it. */
type Entry = { readonly text: string; readonly isBare: boolean; readonly leads: boolean }

const quotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '“': '”', '‘': '’' }

const openingQuotes = Object.keys(quotes).join('')

// None of these patterns may try a stretch of text in two ways: notes can hold lines of megabytes.
const separator = /[\s,]+/y
const comment = /#.*|<!--.*?(?:-->|$)|\([^()]*(?:\([^()]*\)[^()]*)*\)(?=[\s,.;:]|$)[.;:]*/sy
const dash = /(?:[-–—]+>?|=>|→)(?=\s|$)/y
const upToComma = /[^,]*/y
const partBegin = /[\s,]/

const entriesOf = (value: string): readonly Entry[] => {
  const line = withoutBrackets(value)
  const lastOf = new Map(Object.values(quotes).map((quote) => [quote, line.lastIndexOf(quote)]))
  const braces = bracesOf(line)
  const entries: Entry[] = []
  let at = 0
  let leads = true
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(line)?.[0] ?? ''
    at += found.length
    return found
  }
  /** Up to what parts entries, or one of `stops`, outside of braces. */
  const takePart = (stops: string): string => {
    const from = at
    for (
      let next = line[at];
      next !== undefined && !partBegin.test(next) && !stops.includes(next);
      next = line[at]
    )
      at = (braces.get(at) ?? at) + 1
    return line.slice(from, at)
  }
  const push = (text: string, isBare: boolean) => {
    if (text === '') return
    entries.push({ text, isBare, leads })
    leads = false
  }
  while (at < line.length) {
    if (take(separator).includes(',')) leads = true
    if (take(comment) !== '') continue
    if (take(dash) !== '') {
      if (entries.length > 0) take(upToComma)
      continue
    }
    const quote = quotes[line[at] ?? '']
    if (quote === undefined) {
      const text = takePart('')
      push(/^[./\\]+$/.test(text) ? text : withoutPunctuation(text), true)
    } else if ((lastOf.get(quote) ?? -1) > at) {
      const end = line.indexOf(quote, at + 1)
      const quoted = line.slice(at + 1, end)
      at = end + 1
      push(quoted + withoutPunctuation(takePart(openingQuotes)), false)
    } else {
      at += 1
    }
  }
  return entries
}

/** Where braces around no white space are closed, by where they open: all at once, since a line may hold many. */
const bracesOf = (line: string): ReadonlyMap<number, number> => {
  const closed = new Map<number, number>()
  let open: number[] = []
  for (const { 0: character, index } of line.matchAll(/[{}\s]/g)) {
    if (character === '{') open.push(index)
    else if (character !== '}') open = []
    else {
      const from = open.pop()
      if (from !== undefined) closed.set(from, index)
    }
  }
  return closed
}

const withoutPunctuation = (text: string): string => {
  let end = text.length
  while (end > 0 && '.;:'.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end).replace(/(?::\d+(?:-\d+)?){1,2}$/, '')
}

/** Takes off brackets that stand around a list. */
const withoutBrackets = (value: string): string => {
  if (!value.startsWith('[')) return value
  let depth = 0
  for (let at = 0; at < value.length; at += 1) {
    if (value[at] === '[') depth += 1
    if (value[at] === ']') depth -= 1
    if (depth > 0) continue
    const inside = value.slice(1, at)
    const rest = value.slice(at + 1)
    return rest === '' || (/^\s/.test(rest) && /[\s,]/.test(inside)) ? inside + rest : value
  }
  return value
}
