import type { Observer } from '../transcript/scan.ts'
import { type Difference, type Drift, driftOf } from './drift.ts'
import { type LoadBearing, loadBearingOf } from './load-bearing.ts'
import { eachPart, isJson, type Json, type TakePart } from './parts.ts'
import { releaseFinder } from './release-in-line.ts'
import { type JsonType, type Shapes, typeOf } from './shape.ts'

export type Fingerprint = Observer & {
  /** What was found. `stays`: whether the trim keeps the record in this line; an unknown block may go, but not stay. */
  readonly finish: (stays: (line: number) => boolean) => Drift
  /** The line of the first record of a release. */
  readonly firstLine: (version: string) => number
}

type Options = {
  /** What the formats know (`knownShapes`). */
  readonly known: Shapes
  /** Types of records and parts that no rehearsal writes but that are known from elsewhere. */
  readonly isKnownPart: (part: string) => boolean
  /** Look into every line; else of those that the scan only looked at, samples. */
  readonly thorough: boolean
  /** How records are taken apart, and what the trim stands on: Claude Code's when it is left out. */
  readonly records?: {
    readonly eachPart: (record: Json, take: TakePart) => void
    readonly loadBearingOf: (part: string) => ReadonlyMap<string, LoadBearing>
  }
}

/** What is to be known of a part, looked up once. */
type Part = {
  readonly name: string
  readonly isKnown: boolean
  readonly keys: ReadonlyMap<string, ReadonlySet<JsonType>> | undefined
  readonly loadBearing: ReadonlyMap<string, LoadBearing>
}

/** Required keys of a part in the records of one release. */
type Group = { has: number; lacks: number; line: number; path: string; unknownKeys: Set<string> }

/** In a file that differs everywhere this many names are told; one is enough to act on. */
const differencesHeld = 200

/**
 * Compares the records of a session with what all formats know, one after the other, while the trim scans it. A key that the
 * trim stands on breaks it when it has another type, when a record lacks it and has an unknown one in its place, or when every
 * record of a release lacks it; where single records lack it, that is damage, which the trim mends.
 *
 * Of the lines that the scan only looks at, which have the shape that it needs and go, the first ones of each type and release
 * are parsed here, and then ever fewer: a release writes all its records of a type alike.
 */
export const fingerprint = ({
  known,
  isKnownPart,
  thorough,
  records = { eachPart, loadBearingOf },
}: Options): Fingerprint => {
  const parts = new Map<string, Part>()
  const found = new Map<string, Difference>()
  const groups = new Map<string | undefined, Map<string, Group>>()
  const versions = new Map<string, number>()
  const sampled = new Map<string, { n: number }>()
  const blocks = new Map<string, number[]>()
  const releaseIn = releaseFinder()
  let version: string | undefined
  let group: Map<string, Group> = groupsOf(undefined)
  let line = 0

  function groupsOf(release: string | undefined): Map<string, Group> {
    const existing = groups.get(release)
    if (existing !== undefined) return existing
    const made = new Map<string, Group>()
    groups.set(release, made)
    return made
  }

  const enter = (release: string): void => {
    if (release === version) return
    version = release
    group = groupsOf(release)
    sampled.clear()
    if (!versions.has(release)) versions.set(release, line)
  }

  const partOf = (name: string): Part => {
    const existing = parts.get(name)
    if (existing !== undefined) return existing
    const shape = known.get(name)
    const made: Part = {
      name,
      isKnown: shape !== undefined || isKnownPart(name),
      // Of what a model hands to a tool only what the trim stands on has a format.
      keys:
        name === 'Read' ? undefined : shape && new Map([...shape].map(([key, { types }]) => [key, types])),
      loadBearing: records.loadBearingOf(name),
    }
    parts.set(name, made)
    return made
  }

  const add = (difference: Omit<Difference, 'line' | 'count'>, at = line): void => {
    const before = found.get(difference.name)
    if (before !== undefined) found.set(difference.name, { ...before, count: before.count + 1 })
    else if (found.size < differencesHeld) found.set(difference.name, { ...difference, line: at, count: 1 })
  }

  const takePart = (name: string, object: Json, path: string): void => {
    const part = partOf(name)
    if (!part.isKnown) {
      addUnknownPart(name, object, path)
      if (part.loadBearing.size === 0) return
    }
    let unknownKeys: string[] | undefined
    for (const key in object) {
      const value = object[key]
      const row = part.loadBearing.get(key)
      if (row !== undefined) {
        checkType(name, key, value, row, path)
        continue
      }
      const types = part.keys?.get(key)
      if (types === undefined) {
        if (part.keys === undefined) continue
        unknownKeys ??= []
        unknownKeys.push(key)
        add({
          ...keyed(name, key, path),
          level: 'additive',
          kind: 'new-key',
          expected: 'nothing',
          found: typeOf(value),
        })
      } else if (value !== null && !types.has(typeOf(value)) && !(types.size === 1 && types.has('null')))
        add({
          ...keyed(name, key, path),
          level: 'additive',
          kind: 'retyped',
          expected: [...types].sort().join(' or '),
          found: typeOf(value),
        })
    }
    for (const [key, row] of part.loadBearing)
      if (!row.optional) tally(name, key, key in object, path, unknownKeys)
  }

  const addUnknownPart = (name: string, object: Json, path: string): void => {
    // A block lies in a list; the type of a record may hold a slash as well.
    const isBlock = path.endsWith(']')
    if (isBlock) {
      const lines = blocks.get(name) ?? []
      if (lines.at(-1) !== line) lines.push(line)
      blocks.set(name, lines)
    }
    add({
      name,
      path,
      level: 'additive',
      kind: isBlock ? 'new-block' : 'new-type',
      expected: isBlock ? 'a known block' : 'a known type',
      found: Object.keys(object).slice(0, 12).join(', '),
    })
  }

  const checkType = (part: string, key: string, value: unknown, row: LoadBearing, path: string): void => {
    const type = typeOf(value)
    if (row.types.includes(type) || (row.optional && type === 'null')) return
    add({
      ...keyed(part, key, path),
      level: 'breaking',
      kind: 'retyped',
      expected: row.types.join(' or '),
      found: type,
    })
  }

  const tally = (
    part: string,
    key: string,
    has: boolean,
    path: string,
    unknownKeys: readonly string[] | undefined,
  ) => {
    const name = `${part}.${key}`
    let each = group.get(name)
    if (each === undefined) {
      each = { has: 0, lacks: 0, line: 0, path: join(path, key), unknownKeys: new Set() }
      group.set(name, each)
    }
    if (has) {
      each.has += 1
      return
    }
    if (each.lacks === 0) {
      each.line = line
      each.path = join(path, key)
    }
    each.lacks += 1
    for (const unknown of unknownKeys ?? []) each.unknownKeys.add(unknown)
  }

  const parsed = (json: unknown, at: number): void => {
    if (!isJson(json)) return
    line = at
    if (typeof json['version'] === 'string') enter(json['version'].slice(0, 40))
    const hasType = typeof json['type'] === 'string'
    if ('uuid' in json) tally('record', 'type', hasType, '', hasType ? undefined : unknownAnywhere(json))
    if (hasType) records.eachPart(json, takePart)
  }

  /** Keys that no record of the conversation has. */
  const unknownAnywhere = (json: Json): readonly string[] =>
    Object.keys(json).filter((key) => !chainParts.some((part) => known.get(part)?.has(key)))

  const looked = (label: string, bytes: Buffer, start: number, end: number, at: number): void => {
    const release = releaseIn(bytes, start, end)
    line = at
    if (release !== undefined) enter(release)
    const counter = sampled.get(label)
    const seen = (counter?.n ?? 0) + 1
    if (counter === undefined) sampled.set(label, { n: seen })
    else counter.n = seen
    if (!thorough && !isSample(seen, end - start)) return
    try {
      parsed(JSON.parse(bytes.toString('utf8', start, end)), at)
    } catch {
      // The scan saw that the line has the shape it needs; that it is damaged elsewhere does no harm, since it goes.
    }
  }

  const finish = (stays: (line: number) => boolean): Drift => {
    for (const each of groups.values()) for (const [name, counts] of each) addMissing(name, counts)
    const differences = [...found.values()].map((difference): Difference => {
      const kept = difference.kind === 'new-block' && blocks.get(difference.name)?.find(stays)
      return kept ? { ...difference, level: 'breaking', line: kept } : difference
    })
    return driftOf([...versions.keys()], differences)
  }

  const addMissing = (name: string, { has, lacks, line: at, path, unknownKeys }: Group): void => {
    const isRenamed = unknownKeys.size > 0
    if (lacks === 0 || (has > 0 && !isRenamed)) return
    const before = found.get(name)
    if (before !== undefined) {
      const first = at < before.line ? { line: at, path } : {}
      found.set(name, { ...before, ...first, count: before.count + lacks })
      return
    }
    found.set(name, {
      name,
      line: at,
      path,
      count: lacks,
      level: 'breaking',
      kind: isRenamed ? 'renamed' : 'missing',
      expected: name.slice(name.lastIndexOf('.') + 1),
      found: isRenamed ? [...unknownKeys].sort().join(' or ') : 'nothing',
    })
  }

  return { parsed, looked, finish, firstLine: (release) => versions.get(release) ?? 0 }
}

const firstSamples = 3
/** A longer line shows no more of the format, and takes long to parse; in bytes. */
const longestSample = 1 << 16

/** Whether the record of a type that is the `nth` one is looked into: the first ones, then the 4th, 8th, 16th and so on. */
const isSample = (nth: number, length: number): boolean =>
  length > longestSample ? nth === 1 : nth <= firstSamples || Number.isInteger(Math.log2(nth))

const chainParts = ['user', 'assistant', 'attachment']

const keyed = (part: string, key: string, path: string) => ({ name: `${part}.${key}`, path: join(path, key) })

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
