import { skipValue } from './json-bytes.ts'
import { parseRecord, type SessionRecord } from './record.ts'

export type DamageKind =
  /** A record that was cut off. */
  | 'torn'
  /** Several records on one line. */
  | 'spliced'
  | 'nul'
  | 'byte-order-mark'
  | 'no-final-newline'
  | 'not-json'
  | 'lone-surrogate'
  | 'duplicate-uuid'
  | 'missing-uuid'
  | 'missing-timestamp'
  /** The parent is not in the file, or comes later. */
  | 'missing-parent'
  | 'self-parent'

/**
 * Damage in the session as it was found. `mended`: the trimmed session is free of it. `dropped`: what could not be understood is
 * left out, and is in the backup. `kept`: it stays as it is.
 */
export type Damage = {
  readonly line: number
  readonly kind: DamageKind
  readonly outcome: 'mended' | 'dropped' | 'kept'
}

/** A file can be damaged in every line: this many are told one by one. */
const damageHeld = 1000

/** Holds the first ones. */
export const damageList = () => {
  const found: Damage[] = []
  return {
    found,
    add: (line: number, kind: DamageKind, outcome: Damage['outcome'] = 'mended') => {
      if (found.length < damageHeld) found.push({ line, kind, outcome })
    },
  }
}

/** A record and where in its line it stands. */
export type Salvaged = { readonly record: SessionRecord; readonly start: number; readonly end: number }

/**
 * Reads a line that is no JSON as a whole: NUL runs that a crash left (anthropics/claude-code#49876), records written on one
 * line (#81843), a record that was cut off, alone or with the next one behind it (#20992, #52387).
 */
export const salvage = (
  bytes: Buffer,
): { readonly records: readonly Salvaged[]; readonly kinds: readonly DamageKind[] } => {
  const records: Salvaged[] = []
  const kinds = new Set<DamageKind>()
  let lost = 0
  let at = 0
  for (let tries = 0; tries < maxTries && at < bytes.length; tries += 1) {
    const start = nextRecord(bytes, at)
    const found = start === bytes.length ? undefined : recordEnd(bytes, start)
    if (found === undefined && start < bytes.length) {
      at = start + 1
      continue
    }
    for (const kind of kindsOfRest(bytes.subarray(lost, start))) kinds.add(kind)
    if (found === undefined) return { records, kinds: [...kinds] }
    if (records.length > 0) kinds.add('spliced')
    records.push({ record: found.record, start, end: found.end })
    lost = found.end
    at = found.end
  }
  for (const kind of kindsOfRest(bytes.subarray(lost))) kinds.add(kind)
  return { records, kinds: [...kinds] }
}

/** Attempts at finding a record within one line: text that only looks like records must not cost quadratic time. */
const maxTries = 64

/** What lies between the records of a line. */
const kindsOfRest = (bytes: Buffer): readonly DamageKind[] => {
  if (isByteOrderMark(bytes)) return ['byte-order-mark']
  const hasNul = bytes.includes(0)
  if (!bytes.some((byte) => byte > 0x20)) return hasNul ? ['nul'] : []
  const looksCutOff = bytes.includes('{"')
  return [looksCutOff ? 'torn' : 'not-json', ...(hasNul ? (['nul'] as const) : [])]
}

const isByteOrderMark = (bytes: Buffer) => bytes.equals(Buffer.from([0xef, 0xbb, 0xbf]))

/** How a record can begin: the CLI writes no white space. */
const openings = [
  '{"parentUuid":',
  '{"type":',
  '{"uuid":',
  '{"isSidechain":',
  '{"sessionId":',
  '{"cwd":',
  '{"message":',
]

/** The start of the next stretch that looks like a record, at `at` or behind it; the length of the bytes when there is none. */
const nextRecord = (bytes: Buffer, at: number): number => {
  const first = openings.map((opening) => bytes.indexOf(opening, at)).filter((index) => index !== -1)
  return first.length === 0 ? bytes.length : Math.min(...first)
}

const recordEnd = (bytes: Buffer, start: number): { end: number; record: SessionRecord } | undefined => {
  const end = skipValue(bytes, start)
  if (end === -1) return undefined
  const record = parseRecord(bytes.subarray(start, end))
  // A block within a message has a type as well, but neither of these.
  const isRecord = record !== undefined && (record.uuid !== undefined || 'sessionId' in record)
  return isRecord ? { end, record } : undefined
}
