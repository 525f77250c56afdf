import * as v from 'valibot'
import type { Area } from './area.ts'
import { type VectorCase, vectorFileSchema, withTexts } from './case.ts'

/** `keep/entries.json`: what lies deeper, or has another ending, are texts that cases name. */
const vectorFile = /^(?<area>[a-z]+)\/[a-z0-9-]+\.json$/

/**
 * All cases in the order of the areas and their ids, with the texts of the files that they name put in. Throws for a file that is not
 * of its schema, or of an area that is not known.
 */
export const loadCases = (
  files: ReadonlyMap<string, string>,
  areas: Readonly<Record<string, Area>>,
): readonly VectorCase[] => {
  const cases = [...files].flatMap(([path, text]) => {
    const name = vectorFile.exec(path)?.groups?.['area']
    return name === undefined || name === 'schema' ? [] : casesOf(path, name, text, files, areas)
  })
  return Object.keys(areas).flatMap((name) =>
    cases.filter(({ area }) => area === name).sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
}

const casesOf = (
  path: string,
  name: string,
  text: string,
  files: ReadonlyMap<string, string>,
  areas: Readonly<Record<string, Area>>,
): readonly VectorCase[] => {
  const area = areas[name]
  if (area === undefined) throw new Error(`vectors/${path} is of the area ${name}, which is not known`)
  const parsed = v.safeParse(vectorFileSchema(name, area.input, area.output), JSON.parse(text))
  if (!parsed.success) throw new Error(`vectors/${path}: ${v.summarize(parsed.issues)}`)
  // The input goes to the implementation as it stands in the file: without the defaults of our schema.
  const raw: { readonly cases: readonly { readonly input: unknown; readonly expected: unknown }[] } =
    JSON.parse(text)
  return parsed.output.cases.map(({ source, ...each }, index) => ({
    ...each,
    ...(source === undefined ? {} : { source }),
    area: name,
    input: withTexts(raw.cases[index]?.input, files),
    expected: withTexts(raw.cases[index]?.expected, files),
  }))
}
