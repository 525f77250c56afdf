import * as v from 'valibot'
import type { TrimRequest } from '../transcript/trim.ts'
import { type Drift, describeDifference, strictly } from './drift.ts'
import { fingerprint } from './fingerprint.ts'
import { type Format, FormatSchema, knownShapes } from './format.ts'
import { isKnownPart } from './known-parts.ts'
import { learntFormats } from './learnt.ts'
import { withRelease } from './release.ts'
import type { Shapes } from './shape.ts'

/** They do not change while yoke runs, and a run asks for them before each trim. */
let shipped: Promise<readonly Format[]> | undefined

/** The formats that came with yoke. */
export const shippedFormats = (): Promise<readonly Format[]> => {
  shipped ??= import('./schemas/claude.ts').then(({ claudeFormats }) =>
    v.parse(v.array(FormatSchema), claudeFormats),
  )
  return shipped
}

/** All formats of Claude Code that yoke knows here: its own, and those that were learnt on this machine. */
export const allFormats = async (
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Format[]> => {
  const [own, learnt] = await Promise.all([shippedFormats(), learntFormats(env)])
  return learnt.length === 0 ? own : [...own, ...learnt]
}

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
