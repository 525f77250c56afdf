import type { TrimRequest } from '../transcript/trim.ts'
import { type Drift, describeDifference, strictly } from './drift.ts'
import { fingerprint } from './fingerprint.ts'
import { type Format, knownShapes } from './format.ts'
import { isKnownPart } from './known-parts.ts'
import { withRelease } from './release.ts'
import type { Shapes } from './shape.ts'

const known = new WeakMap<readonly Format[], Shapes>()

/** Of the same formats this is made once. */
const shapesOf = (formats: readonly Format[]): Shapes => {
  const shapes = known.get(formats) ?? knownShapes(formats)
  known.set(formats, shapes)
  return shapes
}

export type SessionGuard = NonNullable<TrimRequest['guard']> & {
  /** What was found; undefined before `refusal` was called. */
  readonly drift: () => Drift | undefined
}

/** Stands guard over one trim: it compares the session with the formats, and refuses one that breaks what the trim stands on. */
export const sessionGuard = (formats: readonly Format[], strict: boolean): SessionGuard => {
  const seen = fingerprint({ known: shapesOf(formats), isKnownPart, thorough: false })
  let drift: Drift | undefined
  return {
    parsed: seen.parsed,
    looked: seen.looked,
    refusal: (stays) => {
      const found = withRelease(seen.finish(stays), seen.firstLine, formats, undefined)
      drift = strict ? strictly(found) : found
      return drift.verdict === 'breaking' ? refusalText(drift) : undefined
    },
    drift: () => drift,
  }
}

/** The first differences, and how many more there are. */
export const refusalText = ({ differences }: Drift): string => {
  const breaking = differences.filter(({ level }) => level === 'breaking')
  const told = breaking.slice(0, 3).map(describeDifference)
  const more = breaking.length - told.length
  return `The session is in a format that yoke does not know: ${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
