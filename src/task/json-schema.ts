import { toJsonSchema } from '@valibot/to-json-schema'
import type { JsonSchema } from '../agents/agent.ts'
import {
  aboutDirective,
  type DirectiveKey,
  DirectivesSchema,
  defaultOf,
  directiveKeys,
} from './directives.ts'

/** The JSON Schema of front matter and `config.yaml`, for editors: draft 07, which all of them take. */
export const directivesJsonSchema = (): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'yoke directives',
  description: 'The front matter of a yoke task, or a config.yaml of yoke.',
  type: 'object',
  properties: Object.fromEntries(directiveKeys.map((key) => [key, property(key)])),
  additionalProperties: false,
})

const property = (key: DirectiveKey): JsonSchema => {
  const { title, description, example } = aboutDirective(key)
  const fallback = defaultOf(key)
  return {
    title,
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
    examples: [example],
    ...values(key),
  }
}

/** Rules that JSON Schema cannot say (a secret without its value, names that differ) are left to yoke itself. */
const values = (key: DirectiveKey): JsonSchema => {
  const { $schema: _, ...schema } = toJsonSchema(DirectivesSchema.entries[key].wrapped, {
    target: 'draft-07',
    typeMode: 'input',
    errorMode: 'ignore',
  })
  const about = new Set(Object.keys(aboutDirective(key)))
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !about.has(name)))
}
