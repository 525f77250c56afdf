import { createHash } from 'node:crypto'
import { isJson, type Json, type TakePart } from './parts.ts'
import { type JsonType, typeOf } from './shape.ts'

/** What a session holds, without a word of its content: the names of parts and keys, and JSON types. */
export type Signature = {
  readonly add: (json: unknown) => void
  /** 16 hexadecimal digits, the same for sessions that hold the same (§9.2). */
  readonly digest: () => string
}

export const signature = (eachPart: (record: Json, take: TakePart) => void): Signature => {
  const parts = new Map<string, Map<string, Set<JsonType>>>()
  const add = (json: unknown): void => {
    if (!isJson(json) || typeof json['type'] !== 'string') return
    eachPart(json, (part, object) => {
      // What a model wrote is not the format's.
      if (part === 'Read') return
      const keys = entryOf(parts, part, () => new Map<string, Set<JsonType>>())
      for (const key in object) entryOf(keys, key, () => new Set<JsonType>()).add(typeOf(object[key]))
    })
  }
  return {
    add,
    digest: () => createHash('sha256').update(textOf(parts)).digest('hex').slice(0, 16),
  }
}

const textOf = (parts: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<JsonType>>>): string =>
  sorted(parts)
    .map(([part, keys]) => `${part}: ${sorted(keys).map(keyText).join(', ')}\n`)
    .join('')

/** `null` beside another type is a value that is not there yet. */
const keyText = ([key, types]: readonly [string, ReadonlySet<JsonType>]): string =>
  `${key}=${[...types]
    .filter((type) => type !== 'null' || types.size === 1)
    .sort()
    .join('|')}`

const sorted = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1))

const entryOf = <T>(map: Map<string, T>, key: string, make: () => T): T => {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const made = make()
  map.set(key, made)
  return made
}
