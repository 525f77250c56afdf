import type { Observation } from './derive.ts'
import type { DriftAgent, Format } from './format.ts'
import { mergeAll, mergeShapes, parseShapes, type Shape, type Shapes, shapesText } from './shape.ts'
import { compareVersions } from './version.ts'

/** What is known of one release. */
export type ReleaseNotes = Observation & {
  readonly version: string
  /** What the rehearsal found wrong; empty: verified. */
  readonly faults: readonly string[]
}

/** The notes that formats were made from, as far as they hold them: a new harvest adds to them. */
export const notesOf = (formats: readonly Format[]): readonly ReleaseNotes[] =>
  formats.flatMap((format) =>
    format.releases.map((version) => ({
      version,
      faults: format.unverified[version] ?? [],
      session: parseShapes(format.session),
      stream: parseShapes(format.stream),
      files: format.files,
    })),
  )

/**
 * Makes formats of releases: neighbours that write the same are one. What a release writes also depends on chance and time, so
 * a part or key that an earlier and a later release have counts for those between, and a key that comes and goes is optional.
 */
export const formatsOf = (agent: DriftAgent, notes: readonly ReleaseNotes[]): readonly Format[] => {
  const releases = filled([...notes].sort((a, b) => compareVersions(a.version, b.version)))
  const groups: ReleaseNotes[][] = []
  for (const release of releases) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && writesTheSame(last[0], release)) last.push(release)
    else groups.push([release])
  }
  return groups.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)]
    return first === undefined || last === undefined
      ? []
      : [formatOf(agent, group, first.version, last.version)]
  })
}

const formatOf = (agent: DriftAgent, group: readonly ReleaseNotes[], from: string, to: string): Format => {
  const unverified = Object.fromEntries(
    group.filter(({ faults }) => faults.length > 0).map(({ version, faults }) => [version, [...faults]]),
  )
  return {
    agent,
    from,
    to,
    releases: group.map(({ version }) => version),
    verified: group.filter(({ faults }) => faults.length === 0).map(({ version }) => version),
    unverified,
    files: [...new Set(group.flatMap(({ files }) => files))].sort(),
    session: shapesText(group.reduce<Shapes>((all, { session }) => mergeAll(all, session), new Map())),
    stream: shapesText(group.reduce<Shapes>((all, { stream }) => mergeAll(all, stream), new Map())),
  }
}

/** Which parts and keys there are, and of which types: what may be left out makes no format of its own. */
const writesTheSame = (a: ReleaseNotes, b: ReleaseNotes): boolean => namesOf(a) === namesOf(b)

const namesOf = ({ session, stream, files }: ReleaseNotes): string =>
  JSON.stringify([
    [session, stream].map((shapes) =>
      shapesText(new Map([...shapes].map(([part, shape]) => [part, withAllOptional(shape)]))),
    ),
    files,
  ])

const withAllOptional = (shape: Shape): Shape =>
  new Map([...shape].map(([key, { types }]) => [key, { types, optional: true }]))

const filled = (releases: readonly ReleaseNotes[]): readonly ReleaseNotes[] =>
  releases.map((release, index) => {
    const before = releases.slice(0, index)
    const after = releases.slice(index + 1)
    return {
      ...release,
      session: between(release, before, after, ({ session }) => session),
      stream: between(release, before, after, ({ stream }) => stream),
      files: [
        ...new Set([
          ...release.files,
          ...both(
            before.map(({ files }) => files),
            after.map(({ files }) => files),
          ),
        ]),
      ].sort(),
    }
  })

const both = (before: readonly (readonly string[])[], after: readonly (readonly string[])[]) => {
  const later = new Set(after.flat())
  return [...new Set(before.flat())].filter((name) => later.has(name))
}

type Side = (release: ReleaseNotes) => Shapes

/** The shapes of a release with every part, key and type that releases on both sides of it have. */
const between = (
  release: ReleaseNotes,
  before: readonly ReleaseNotes[],
  after: readonly ReleaseNotes[],
  side: Side,
): Shapes => {
  const older = before.map(side).reduce<Shapes>(mergeAll, new Map())
  const newer = after.map(side).reduce<Shapes>(mergeAll, new Map())
  const shared = new Map<string, Shape>()
  for (const [part, shape] of older) {
    const other = newer.get(part)
    if (other !== undefined) shared.set(part, common(shape, other))
  }
  return mergeAll(side(release), shared)
}

const common = (a: Shape, b: Shape): Shape =>
  new Map(
    [...mergeShapes(a, b)].flatMap(([key, slot]) => {
      const [left, right] = [a.get(key), b.get(key)]
      if (left === undefined || right === undefined) return []
      const types = new Set([...left.types].filter((type) => right.types.has(type)))
      return types.size === 0 ? [] : [[key, { types, optional: slot.optional }] as const]
    }),
  )
