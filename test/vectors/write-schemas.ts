// Writes vectors/schema/ anew: npx bun test/vectors/write-schemas.ts && npx biome format --write vectors/schema
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonSchemas } from './json-schemas.ts'

const vectors = join(import.meta.dirname, '..', '..', 'vectors')
mkdirSync(join(vectors, 'schema'), { recursive: true })
for (const [path, schema] of jsonSchemas()) writeFileSync(join(vectors, path), JSON.stringify(schema))
