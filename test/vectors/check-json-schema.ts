type Schema = { readonly [key: string]: unknown }

/** The keywords that our JSON Schemas are made of; another one is an error, not passed over. */
const keywords: Readonly<Record<string, (value: unknown, keyword: never, schema: Schema) => boolean>> = {
  $schema: () => true,
  title: () => true,
  default: () => true,
  format: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  contentEncoding: () => true,
  type: (value, type: string) => typeOf(value) === type || (type === 'integer' && Number.isInteger(value)),
  const: (value, expected: unknown) => value === expected,
  enum: (value, options: readonly unknown[]) => options.includes(value),
  anyOf: (value, options: readonly Schema[]) => options.some((each) => fits(value, each)),
  minimum: (value, least: number) => Number(value) >= least,
  minLength: (value, least: number) => String(value).length >= least,
  pattern: (value, pattern: string) => new RegExp(pattern, 'u').test(String(value)),
  items: (value, items: Schema) => Array.isArray(value) && value.every((each) => fits(each, items)),
  minItems: (value, least: number) => Array.isArray(value) && value.length >= least,
  required: (value, keys: readonly string[]) => keys.every((key) => key in Object(value)),
  propertyNames: (value, names: Schema) => Object.keys(Object(value)).every((key) => fits(key, names)),
  properties: (value, properties: Readonly<Record<string, Schema>>) =>
    Object.entries(properties).every(
      ([key, each]) => !Object.hasOwn(Object(value), key) || fits(Object(value)[key], each),
    ),
  additionalProperties: (value, rest: Schema | boolean, { properties = {} }) =>
    Object.entries(Object(value)).every(
      ([key, each]) => key in Object(properties) || (rest !== false && (rest === true || fits(each, rest))),
    ),
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** Whether a value is of a JSON Schema: a second opinion beside valibot, for the keywords that we use. */
export const fits = (value: unknown, schema: Schema): boolean =>
  Object.entries(schema).every(([keyword, argument]) => {
    const check = keywords[keyword]
    if (check === undefined) throw new Error(`the keyword ${keyword} is not known`)
    return check(value, argument as never, schema)
  })
