// Computes the expectations of the cases with the flag `generated` anew, from the rule alone: bun scripts/generate-vectors.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'

const GeneratedSchema = v.looseObject({
  flags: v.pipe(v.array(v.string()), v.includes('generated')),
  input: v.object({ path: v.string() }),
})

/** [7.2-2] in whole numbers of any size, unlike the implementation, which counts in 32 bits. */
const hashOf = (path: string): string => {
  const units = Array.from({ length: path.length }, (_, index) => BigInt(path.charCodeAt(index)))
  const sum = BigInt.asIntN(
    32,
    units.reduce((hash, unit) => 31n * hash + unit, 0n),
  )
  return (sum < 0n ? -sum : sum).toString(36)
}

const slugOf = (given: string): string => {
  const path = given.normalize('NFC')
  const name = path
    .split('')
    .map((unit) => (/^[a-z0-9]$/i.test(unit) ? unit : '-'))
    .join('')
  return `${name.slice(0, 200)}-${hashOf(path)}`
}

/** As the formatter of the repository lays it out: lists of texts on one line. */
const laidOut = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(/\[\n\s+("[^"\n]*"(?:,\n\s+"[^"\n]*")*)\n\s+\]/g, (_, items: string) => `[${items.replace(/,\n\s+/g, ', ')}]`)}\n`

/** The text of `vectors/slug/slugs.json` with the expectations of its generated cases computed anew. */
export const regenerateSlugs = (text: string): string =>
  laidOut(
    JSON.parse(text, (_, value: unknown) =>
      v.is(GeneratedSchema, value) ? { ...value, expected: { slug: slugOf(value.input.path) } } : value,
    ),
  )

if (import.meta.main) {
  const path = join(import.meta.dirname, '..', 'vectors', 'slug', 'slugs.json')
  writeFileSync(path, regenerateSlugs(readFileSync(path, 'utf8')))
}
