import { exitCode, YokeError } from '../errors.ts'

export type Variables = Readonly<Record<string, string>>

const variable = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/g

/** A copy of plain data in which every `{{name}}` within a string is replaced. A value is not looked through again. */
export const substitute = <T>(data: T, variables: Variables): T => replaceIn(data, variables) as T

const replaceIn = (data: unknown, variables: Variables): unknown => {
  if (typeof data === 'string') return data.replace(variable, (whole, name) => variables[name] ?? whole)
  if (Array.isArray(data)) return data.map((item) => replaceIn(item, variables))
  if (typeof data === 'object' && data !== null)
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, replaceIn(value, variables)]))
  return data
}

/** Throws `E_SCENARIO` when the data names a variable that is not among `known`. */
export const requireKnown = (data: unknown, known: readonly string[]): void => {
  const unknown = new Set(
    [...JSON.stringify(data).matchAll(variable)]
      .map(([, name]) => name ?? '')
      .filter((name) => !known.includes(name)),
  )
  if (unknown.size === 0) return
  throw new YokeError(
    'E_SCENARIO',
    `The scenario uses variables that nobody sets: ${[...unknown].join(', ')}.`,
    `Set them, or use one of: ${known.join(', ')}.`,
    exitCode.usage,
  )
}
