export const jsonTypes = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const
export type JsonType = (typeof jsonTypes)[number]

/** What stands at a key. `null` beside another type is a value that is not there yet, and is left out. */
export type Slot = { readonly types: ReadonlySet<JsonType>; readonly optional: boolean }

/** The keys of a JSON object. */
export type Shape = ReadonlyMap<string, Slot>

/** The described objects of a record, an event or a block, by their part: `user`, `assistant.message`, `user/tool_result`. */
export type Shapes = ReadonlyMap<string, Shape>

export const typeOf = (value: unknown): JsonType => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

export const shapeOf = (object: object): Shape =>
  new Map(
    Object.entries(object).map(([key, value]) => [key, { types: new Set([typeOf(value)]), optional: false }]),
  )

/** What holds for objects of both shapes: every key, those optional that one of them lacks. */
export const mergeShapes = (a: Shape, b: Shape): Shape =>
  new Map(
    [...new Set([...a.keys(), ...b.keys()])].map((key) => {
      const [left, right] = [a.get(key), b.get(key)]
      return [
        key,
        {
          types: withoutNull(new Set([...(left?.types ?? []), ...(right?.types ?? [])])),
          optional: left === undefined || right === undefined || left.optional || right.optional,
        },
      ]
    }),
  )

const withoutNull = (types: ReadonlySet<JsonType>): ReadonlySet<JsonType> =>
  types.size > 1 ? new Set([...types].filter((type) => type !== 'null')) : types

export const mergeAll = (a: Shapes, b: Shapes): Shapes => {
  const merged = new Map(a)
  for (const [part, shape] of b) {
    const known = merged.get(part)
    merged.set(part, known === undefined ? shape : mergeShapes(known, shape))
  }
  return merged
}

/** `content: array|string, id?: string`, keys in their order. */
export const shapeText = (shape: Shape): string =>
  [...shape]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([key, { types, optional }]) => `${quoted(key)}${optional ? '?' : ''}: ${[...types].sort().join('|')}`,
    )
    .join(', ')

/** Keys that could be taken for the notation are written as JSON. */
const quoted = (key: string): string => (/^[\w$@.-]+$/.test(key) ? key : JSON.stringify(key))

const slotPattern = /("(?:[^"\\]|\\.)*"|[\w$@.-]+)(\?)?: ([a-z|]+)(?:, |$)/gy

const jsonTypeOf = (text: string): JsonType => {
  const type = jsonTypes.find((each) => each === text)
  if (type === undefined) throw new Error(`not a JSON type: ${text}`)
  return type
}

export const parseShape = (text: string): Shape => {
  const shape = new Map<string, Slot>()
  let end = 0
  for (const [whole, key = '', optional, types = ''] of text.matchAll(slotPattern)) {
    end += whole.length
    shape.set(key.startsWith('"') ? String(JSON.parse(key)) : key, {
      types: new Set(types.split('|').map(jsonTypeOf)),
      optional: optional !== undefined,
    })
  }
  if (end !== text.length) throw new Error(`not the shape of an object: ${text.slice(end, end + 40)}`)
  return shape
}

export const shapesText = (shapes: Shapes): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...shapes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([part, shape]) => [part, shapeText(shape)]),
  )

export const parseShapes = (texts: Readonly<Record<string, string>>): Shapes =>
  new Map(Object.entries(texts).map(([part, text]) => [part, parseShape(text)]))
