/** One way in which a session differs from every format that yoke knows. */
export type Difference = {
  readonly level: 'additive' | 'breaking'
  readonly kind: 'new-type' | 'new-key' | 'new-block' | 'missing' | 'renamed' | 'retyped' | 'release'
  /** Names it for good, so that it is told once: `mode-next`, `user.sentAtMs`, `assistant/hologram`, `release 2.1.400`. */
  readonly name: string
  /** The first line that has it, from 1; 0: it is the installed release, of which the session holds nothing yet. */
  readonly line: number
  /** Where in the record: `message.content[0].id`. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** How often it was seen. */
  readonly count: number
}

/** What the guard found in a session. */
export type Drift = {
  readonly verdict: 'known' | 'additive' | 'breaking'
  /** The releases that wrote the session, in the order of their first record. */
  readonly versions: readonly string[]
  /** What breaks a trim first, then by line and name. */
  readonly differences: readonly Difference[]
}

/** The differences in their order, with what follows from them. */
export const driftOf = (versions: readonly string[], differences: readonly Difference[]): Drift => {
  const sorted = differences.toSorted(
    (a, b) =>
      Number(a.level === 'additive') - Number(b.level === 'additive') ||
      a.line - b.line ||
      (a.name < b.name ? -1 : 1),
  )
  return { verdict: verdictOf(sorted), versions, differences: sorted }
}

const verdictOf = (differences: readonly Difference[]): Drift['verdict'] => {
  if (differences.some(({ level }) => level === 'breaking')) return 'breaking'
  return differences.length > 0 ? 'additive' : 'known'
}

/** With `drift: strict` anything unknown is reason enough not to trim. */
export const strictly = ({ versions, differences }: Drift): Drift =>
  driftOf(
    versions,
    differences.map((difference) => ({ ...difference, level: 'breaking' })),
  )

/** One sentence without a full stop, for events and people. */
export const describeDifference = ({ kind, name, line, path, expected, found }: Difference): string => {
  const where = placeOf(line, path)
  switch (kind) {
    case 'new-type':
      return `${where}: unknown record type ${name}`
    case 'new-block':
      return `${where}: unknown block ${name}`
    case 'new-key':
      return `${where}: unknown key ${name} (${found})`
    default:
      return `${where}: expected ${expected}, found ${found}`
  }
}

/** A session that is stored in no lines (OpenCode's) has its place in the path alone. */
const placeOf = (line: number, path: string): string => {
  if (/^(?:info|messages\[)/.test(path)) return path
  return line === 0 ? 'the installed release' : `line ${line}${path === '' ? '' : `, ${path}`}`
}
