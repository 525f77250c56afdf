import type { Observation } from '../derive.ts'
import { isJson, type TakePart } from '../parts.ts'
import { mergeShapes, type Shape, shapeOf } from '../shape.ts'
import { eachEventPart, eachPart, recordsOf } from './parts.ts'

/** Derives the shapes of everything in some exports and event streams. Lines that are no JSON objects are passed over. */
export const observe = (written: {
  readonly exports: readonly unknown[]
  readonly streams: readonly string[]
  /** Names of files of the store, with what differs from session to session taken out. */
  readonly files: readonly string[]
}): Observation => {
  const session = new Map<string, Shape>()
  const stream = new Map<string, Shape>()
  for (const record of written.exports.flatMap(recordsOf)) eachPart(record, into(session))
  for (const line of written.streams) {
    const event = parsed(line)
    if (isJson(event)) eachEventPart(event, into(stream))
  }
  // What a model wrote is not the format's.
  session.delete('Read')
  return { session, stream, files: written.files.toSorted() }
}

const into =
  (shapes: Map<string, Shape>): TakePart =>
  (part, object) => {
    const known = shapes.get(part)
    shapes.set(part, known === undefined ? shapeOf(object) : mergeShapes(known, shapeOf(object)))
  }

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
