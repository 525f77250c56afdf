import * as v from 'valibot'
import { mergeShapes, parseShape, type Shapes } from './shape.ts'
import { compareVersions } from './version.ts'

const release = v.pipe(v.string(), v.regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/))
const shapes = v.record(v.string(), v.string())

/** Agents whose formats yoke knows. */
export const driftAgents = ['claude', 'opencode'] as const
export type DriftAgent = (typeof driftAgents)[number]

/** One format of an agent's sessions: what a range of its releases writes. */
export const FormatSchema = v.object({
  agent: v.picklist(driftAgents),
  /** The first and the last release that was looked at. */
  from: release,
  to: release,
  releases: v.array(release),
  /** Releases on which a session was trimmed and resumed, and the request was what it should be. */
  verified: v.array(release),
  /** The others, with what was found. */
  unverified: v.optional(v.record(release, v.array(v.string())), {}),
  /** Where this was learnt, unless it came with yoke. */
  learnt: v.optional(v.object({ at: v.string(), yoke: v.string(), platform: v.string() })),
  /** Files below the folder of sessions. */
  files: v.array(v.string()),
  /** The parts of records (`shape.ts`). */
  session: shapes,
  /** The events of the stream. */
  stream: shapes,
})

export type Format = v.InferOutput<typeof FormatSchema>

/** What a session is compared with. */
export type FormatTerms = Pick<Format, 'verified' | 'unverified' | 'session'>

/**
 * What all formats together know of a part; a difference from this is a drift. Most formats say the same of most parts: each
 * text is read once.
 */
export const knownShapes = (formats: readonly FormatTerms[]): Shapes => {
  const texts = new Map<string, Set<string>>()
  for (const { session } of formats)
    for (const part in session) {
      const known = texts.get(part) ?? new Set()
      texts.set(part, known.add(session[part] ?? ''))
    }
  return new Map(
    [...texts].map(([part, all]) => {
      const shapes = [...all].map(parseShape)
      // With itself, too: one format alone may name `null` beside another type.
      return [part, shapes.reduce(mergeShapes, shapes[0] ?? new Map())] as const
    }),
  )
}

/** How a release stands to the ones that yoke was tried with. */
export type Standing = 'verified' | 'within' | 'unverified' | 'newer' | 'older' | 'unknown'

export const standingOf = (version: string | undefined, formats: readonly FormatTerms[]): Standing => {
  if (version === undefined || formats.length === 0) return 'unknown'
  if (formats.some(({ verified }) => verified.includes(version))) return 'verified'
  if (formats.some(({ unverified }) => version in unverified)) return 'unverified'
  const verified = formats.flatMap((format) => format.verified).sort(compareVersions)
  const [first, last] = [verified[0], verified.at(-1)]
  if (first === undefined || last === undefined) return 'unknown'
  if (compareVersions(version, last) > 0) return 'newer'
  return compareVersions(version, first) < 0 ? 'older' : 'within'
}

export const newestVerified = (formats: readonly Format[]): string | undefined =>
  formats
    .flatMap(({ verified }) => verified)
    .sort(compareVersions)
    .at(-1)
