import { eachPart, eventPart, isJson } from './parts.ts'
import { mergeShapes, type Shape, type Shapes, shapeOf } from './shape.ts'

/** What one release was seen to write. */
export type Observation = {
  readonly session: Shapes
  readonly stream: Shapes
  readonly files: readonly string[]
}

/** Derives the shapes of everything in some session files and event streams. Lines that are no JSON objects are passed over. */
export const observe = (written: {
  readonly files: readonly { readonly path: string; readonly bytes: Buffer }[]
  readonly streams: readonly string[]
}): Observation => {
  const session = new Map<string, Shape>()
  const stream = new Map<string, Shape>()
  for (const { path, bytes } of written.files) {
    if (!path.endsWith('.jsonl')) continue
    for (const record of objectsIn(bytes.toString('utf8').split('\n')))
      eachPart(record, (part, object) => add(session, part, shapeOf(object)))
  }
  for (const event of objectsIn(written.streams)) add(stream, eventPart(event), shapeOf(event))
  return { session, stream, files: [...new Set(written.files.map(({ path }) => patternOf(path)))].sort() }
}

const add = (shapes: Map<string, Shape>, part: string, shape: Shape): void => {
  const known = shapes.get(part)
  shapes.set(part, known === undefined ? shape : mergeShapes(known, shape))
}

const objectsIn = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    try {
      const json: unknown = JSON.parse(line)
      return isJson(json) ? [json] : []
    } catch {
      return []
    }
  })

/** The path with what differs from session to session taken out. */
const patternOf = (path: string): string =>
  path
    .replace(/^[^/]+/, '<slug>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/agent-[\w-]+?(?=\.)/, 'agent-<name>')
    .replace(/tool-results\/[\w-]+/, 'tool-results/<name>')
