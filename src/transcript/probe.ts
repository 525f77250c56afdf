import { bookkeeping, readTools, spentAttachments } from './dispositions.ts'
import { hashBytes, hashText, type KeyHash } from './key-hash.ts'
import type { Link } from './links.ts'
import { type Needle, needle, startsWith } from './needle.ts'

/** What can be told of a line without parsing it. */
export type Probe = {
  /** `parse`: only parsing tells. `dropped`: bookkeeping that goes. `link`: a record of the conversation that goes. */
  verdict: 'parse' | 'dropped' | 'link'
  /** The type, for people. */
  label: string
  /** Of a link. */
  link: Link
  /** Of an answer: the hash of the id of its message. */
  message: KeyHash
  /** The link is an answer that holds a text. */
  isText: boolean
}

export type ProbeContext = {
  /** Hashes (`low`) of the tool uses whose results are wanted. */
  readonly wantedUses: ReadonlySet<number>
  readonly isAnswered: () => boolean
  /** Whether the content of the file that a Read names so may stay. */
  readonly wantsPath: (path: string) => boolean
}

const newProbe = (): Probe => ({
  verdict: 'parse',
  label: '',
  link: {
    hasUuid: false,
    low: 0,
    high: 0,
    parent: 'none',
    parentLow: 0,
    parentHigh: 0,
    tokens: 0,
    isAnswer: false,
    isBoundary: false,
    isProgress: false,
    isResults: false,
  },
  message: { low: 0, high: 0 },
  isText: false,
})

// A quote inside a JSON string is escaped, so none of these can stand in one: where they are found, they are keys and values.
const parentKey = needle('{"parentUuid":')
const nullParent = needle('null,"isSidechain":false,')
const mainChain = needle('"isSidechain":false,')
const typeKey = needle('{"type":"')
const userType = needle('"type":"user",')
const messageKey = needle('"message":{')
const promptKey = needle('"promptId":"')
const attachmentKey = needle('"attachment":{"type":"')
const uuidKey = needle(',"uuid":"')
const timestampKey = needle('","timestamp":"')
const resultsStart = needle('"role":"user","content":[{"t')
const resultIdFirst = needle('ool_use_id":"')
const resultTypeFirst = needle('ype":"tool_result"')
/** What the CLI keeps of a result beside the message may begin like a record. */
const toolUseResultKey = needle('"toolUseResult":')
const toolUseResultTypes = ['text"', 'create"', 'update"'].map(needle)
const toolUseIdKey = needle('"tool_use_id":"')
const messageIdKey = needle('"id":"')
const modelKey = needle('"model":"')
const roleKeys = needle(',"type":"message","role":"assistant",')
const pathKeys = [...new Set(Object.values(readTools))].map((key) => needle(`"${key}":"`))
const blockStart = needle('"content":[{"type":"')
const textType = needle('text"')
const toolUseType = needle('tool_use","id":"')
const nameKey = needle(',"name":"')
const apiError = needle('"isApiErrorMessage":true')
const assistantType = needle('"type":"assistant"')
const attachmentType = needle('"type":"attachment"')

const quote = 0x22
const closeBrace = 0x7d
const lessThan = 0x3c
const uuidLength = 36
/** How far behind the parent a message begins at most: only the envelope stands between. */
const envelope = 4096

const scratch: KeyHash = { low: 0, high: 0 }

/** What is known of some names, by their hashes: no string is made for a line. */
const named = (names: Iterable<string>, label: (name: string) => string): ReadonlyMap<number, string> =>
  new Map([...names].map((name) => [hashText(name).low, label(name)]))

const droppedNotes = named(
  Object.keys(bookkeeping).filter((type) => bookkeeping[type] === 'drop'),
  (type) => type,
)
const readers = named(Object.keys(readTools), (name) => name)
const spentLabels = named(spentAttachments, (type) => `attachment:${type}`)

/** The next quote; the length of the bytes when there is none. */
const closingQuote = (bytes: Buffer, from: number): number => {
  const at = bytes.indexOf(quote, from)
  return at === -1 ? bytes.length : at
}

/**
 * Finds the next place of some bytes; Infinity when there is none. It remembers the last place that it found, because a search
 * that has to end with its line would run on to the end of the buffer.
 */
const finder = ({ bytes: wanted }: Needle) => {
  let searched: Buffer | undefined
  let from = 0
  let found = 0
  return (bytes: Buffer, at: number): number => {
    if (bytes === searched && at >= from && at <= found) return found
    const place = bytes.indexOf(wanted, at)
    searched = bytes
    from = at
    found = place === -1 ? Number.POSITIVE_INFINITY : place
    return found
  }
}

/** Returns a function that looks at the line from `start` to `end`; the next call overwrites what it returns. */
export const lineProbe = (context: ProbeContext) => {
  const probe = newProbe()
  const { link } = probe
  const findParentKey = finder(parentKey)
  const findTypeKey = finder(typeKey)
  /** Two records on one line. */
  const findSeam = finder(needle('}{"type":"'))
  const findMessage = finder(messageKey)
  const findUuid = finder(uuidKey)
  const findToolUseId = finder(toolUseIdKey)
  const findPaths = pathKeys.map(finder)
  const knownPaths = new Map<number, boolean>()
  const findContent = finder(blockStart)
  const findStop = finder(needle('"stop_reason"'))
  /** About how much stands between the content of an answer and its uuid, as measured on the first one. */
  let tailLength = -1
  /** How far before its end the uuid of the last answer stood: a release writes them alike. */
  let uuidToEnd = 0

  const probeNote = (bytes: Buffer, start: number, end: number): void => {
    const from = start + typeKey.length
    const to = closingQuote(bytes, from)
    const type =
      to === -1 || to >= end ? undefined : droppedNotes.get(hashBytes(bytes, from, to, scratch).low)
    if (type === undefined) return
    probe.verdict = 'dropped'
    probe.label = type
  }

  /** Whether the uuid of a record stands here: before its timestamp and, where one is given, behind its type. */
  const isUuid = (bytes: Buffer, at: number, type: Needle | undefined): boolean =>
    startsWith(bytes, at, uuidKey) &&
    startsWith(bytes, at + uuidKey.length + uuidLength, timestampKey) &&
    (type === undefined || startsWith(bytes, at - type.length, type))

  const takeUuidAt = (bytes: Buffer, at: number): number => {
    const first = at + uuidKey.length
    hashBytes(bytes, first, first + uuidLength, scratch)
    link.hasUuid = true
    link.low = scratch.low
    link.high = scratch.high
    return at
  }

  const takeUuid = (bytes: Buffer, from: number, end: number, type: Needle | undefined): number => {
    for (let at = findUuid(bytes, from); at < end; at = findUuid(bytes, at + 1))
      if (isUuid(bytes, at, type)) return takeUuidAt(bytes, at)
    return -1
  }

  const takeUuidOfAnswer = (bytes: Buffer, content: number, end: number): number => {
    const guess = end - uuidToEnd
    if (guess > content && isUuid(bytes, guess, assistantType)) return takeUuidAt(bytes, guess)
    const at = takeUuid(bytes, content, end, assistantType)
    uuidToEnd = end - at
    return at
  }

  /**
   * Whether a type, and so the beginning of an object, stands between; behind a record that was cut off that is the next one, on the
   * same line.
   */
  const holdsType = (bytes: Buffer, from: number, end: number): boolean => {
    for (let at = findTypeKey(bytes, from); at < end; at = findTypeKey(bytes, at + 1)) {
      const isCopy =
        startsWith(bytes, at - toolUseResultKey.length, toolUseResultKey) &&
        toolUseResultTypes.some((type) => startsWith(bytes, at + typeKey.length, type))
      if (!isCopy) return true
    }
    return false
  }

  const finish = (label: string, tokens: number): void => {
    probe.verdict = 'link'
    probe.label = label
    link.tokens = tokens
  }

  const probeAttachment = (bytes: Buffer, from: number, end: number): void => {
    const to = closingQuote(bytes, from)
    if (to >= end) return
    const label = spentLabels.get(hashBytes(bytes, from, to, scratch).low)
    if (label === undefined || !context.isAnswered()) return
    const uuid = takeUuid(bytes, to, end, attachmentType)
    if (uuid !== -1 && !holdsType(bytes, uuid, end))
      finish(label, label === 'attachment:prompt_snapshot' ? 0 : tokensBetween(to, uuid))
  }

  const isWanted = (bytes: Buffer, content: number, uuid: number): boolean => {
    if (context.wantedUses.size === 0) return false
    for (let at = findToolUseId(bytes, content); at < uuid; at = findToolUseId(bytes, at + 1)) {
      const from = at + toolUseIdKey.length
      const to = closingQuote(bytes, from)
      if (context.wantedUses.has(hashBytes(bytes, from, to, scratch).low)) return true
    }
    return false
  }

  const probeResults = (bytes: Buffer, inside: number, end: number): void => {
    if (!startsWith(bytes, inside, resultsStart)) return
    const block = inside + resultsStart.length
    if (!startsWith(bytes, block, resultIdFirst) && !startsWith(bytes, block, resultTypeFirst)) return
    const uuid = takeUuid(bytes, inside, end, undefined)
    if (uuid === -1 || isWanted(bytes, inside, uuid) || holdsType(bytes, uuid, end)) return
    link.isResults = true
    finish('user', tokensBetween(inside, uuid))
  }

  /** Whether the block that begins at `block`, behind its type key, is a Read whose path is wanted, or may be one. */
  const mayBeWanted = (bytes: Buffer, block: number, end: number): boolean => {
    if (!startsWith(bytes, block, toolUseType)) return false
    const name = closingQuote(bytes, block + toolUseType.length) + 1
    if (!startsWith(bytes, name, nameKey)) return true
    const from = name + nameKey.length
    if (!readers.has(hashBytes(bytes, from, closingQuote(bytes, from), scratch).low)) return false
    for (const [index, find] of findPaths.entries()) {
      const key = find(bytes, from)
      if (key >= end) continue
      const path = key + (pathKeys[index]?.length ?? 0)
      return isWantedPath(bytes, path, closingQuote(bytes, path))
    }
    return true
  }

  const isWantedPath = (bytes: Buffer, from: number, to: number): boolean => {
    const { low, high } = hashBytes(bytes, from, to, scratch)
    const key = low * 0x200000 + (high & 0x1fffff)
    let isWanted = knownPaths.get(key)
    if (isWanted === undefined) {
      const path = bytes.toString('utf8', from, to)
      isWanted = path.includes('\\') || context.wantsPath(path)
      knownPaths.set(key, isWanted)
    }
    return isWanted
  }

  /**
   * Where the content of an answer begins; Infinity when that cannot be told, or the CLI itself wrote it (its model is
   * `<synthetic>`): whether such an error counts as an answer, only parsing tells.
   */
  const contentOf = (bytes: Buffer, inside: number, idEnd: number): number => {
    let model = startsWith(bytes, inside, modelKey) ? inside : -1
    let at = idEnd + 1
    if (startsWith(bytes, at, roleKeys)) {
      at += roleKeys.length
      if (startsWith(bytes, at, modelKey)) {
        model = at
        at = closingQuote(bytes, at + modelKey.length) + 2
      }
    }
    if (model === -1 || bytes[model + modelKey.length] === lessThan) return Number.POSITIVE_INFINITY
    const content = startsWith(bytes, at, blockStart) ? at : findContent(bytes, inside)
    return content - inside > envelope ? Number.POSITIVE_INFINITY : content
  }

  const probeAnswer = (bytes: Buffer, inside: number, end: number): void => {
    let id = inside
    if (startsWith(bytes, id, modelKey)) id = closingQuote(bytes, id + modelKey.length) + 2
    if (!startsWith(bytes, id, messageIdKey)) return
    const idEnd = closingQuote(bytes, id + messageIdKey.length)
    const content = contentOf(bytes, inside, idEnd)
    if (idEnd > content || content >= end) return
    const block = content + blockStart.length
    if (mayBeWanted(bytes, block, end)) return
    const uuid = takeUuidOfAnswer(bytes, content, end)
    // One more type, be it of a second block (up to 1.0.9 a line holds a whole answer), in the input of a tool or of another record.
    if (uuid === -1 || holdsType(bytes, block, end)) return
    probe.isText = startsWith(bytes, block, textType)
    if (probe.isText && bytes.subarray(uuid, end).includes(apiError.bytes)) return
    hashBytes(bytes, id + messageIdKey.length, idEnd, probe.message)
    link.isAnswer = true
    if (tailLength === -1) tailLength = Math.max(0, uuid - findStop(bytes, content))
    finish('assistant', tokensBetween(content, Math.max(content, uuid - tailLength)))
  }

  /** In the newest releases the message, or a prompt id and the type, stand right here. */
  const messageAt = (bytes: Buffer, at: number): number => {
    if (startsWith(bytes, at, messageKey)) return at
    const behindPrompt = at + promptKey.length + uuidLength + 2 + userType.length
    return startsWith(bytes, at, promptKey) && startsWith(bytes, behindPrompt, messageKey)
      ? behindPrompt
      : findMessage(bytes, at)
  }

  const probeRecord = (bytes: Buffer, start: number, end: number): void => {
    let at = start + parentKey.length
    if (startsWith(bytes, at, nullParent)) {
      link.parent = 'root'
      at += nullParent.length
    } else {
      const close = at + 1 + uuidLength
      if (bytes[at] !== quote || bytes[close] !== quote || !startsWith(bytes, close + 2, mainChain)) return
      hashBytes(bytes, at + 1, close, scratch)
      link.parent = 'uuid'
      link.parentLow = scratch.low
      link.parentHigh = scratch.high
      at = close + 2 + mainChain.length
    }
    link.isAnswer = false
    link.isBoundary = false
    link.isProgress = false
    link.isResults = false
    if (startsWith(bytes, at, attachmentKey)) {
      probeAttachment(bytes, at + attachmentKey.length, end)
      return
    }
    const message = messageAt(bytes, at)
    if (message >= end || message - at > envelope) return
    const inside = message + messageKey.length
    if (startsWith(bytes, message - userType.length, userType)) probeResults(bytes, inside, end)
    else probeAnswer(bytes, inside, end)
  }

  return (bytes: Buffer, start: number, end: number): Probe => {
    probe.verdict = 'parse'
    probe.isText = false
    if (bytes[end - 1] !== closeBrace || findParentKey(bytes, start + 1) < end) return probe
    if (startsWith(bytes, start, parentKey)) probeRecord(bytes, start, end)
    else if (startsWith(bytes, start, typeKey) && findSeam(bytes, start) >= end) probeNote(bytes, start, end)
    return probe
  }
}

const tokensBetween = (from: number, to: number): number => (to - from) >> 2
