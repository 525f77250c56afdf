import type { VectorCase } from './case.ts'

/** What an implementation says to one case. */
export type Answer =
  | { readonly output: unknown }
  /** It does not implement this. */
  | { readonly skip: true }
  /** It failed, which is not the same as refusing the input. */
  | { readonly error: string }

/** Undefined when the answer is right, else what is wrong with it. */
export const problemWith = (
  { expected, result }: Pick<VectorCase, 'expected' | 'result'>,
  output: unknown,
): string | undefined => {
  if (result === 'acceptable' && isRefusal(output)) return undefined
  return difference(expected, output, '')
}

const isRefusal = (output: unknown): boolean =>
  isObject(output) && typeof output['refused'] === 'string' && output['refused'] !== ''

/** The first place at which two JSON values differ, as a sentence. Keys have no order. */
const difference = (expected: unknown, output: unknown, path: string): string | undefined => {
  if (typeof expected === 'string' && typeof output === 'string')
    return expected === output ? undefined : textDifference(expected, output, path)
  if (Array.isArray(expected) && Array.isArray(output)) {
    const found = firstOf(expected, (each, index) =>
      index in output ? difference(each, output[index], `${path}[${index}]`) : undefined,
    )
    if (found !== undefined) return found
    return expected.length === output.length ? undefined : unlike(expected, output, path)
  }
  if (isObject(expected) && isObject(output)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(output)])]
    return firstOf(keys, (key) =>
      difference(expected[key], output[key], path === '' ? key : `${path}.${key}`),
    )
  }
  return expected === output ? undefined : unlike(expected, output, path)
}

const firstOf = <T>(
  items: readonly T[],
  find: (item: T, index: number) => string | undefined,
): string | undefined => {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== undefined) return found
  }
  return undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of texts with several lines, the first line that differs. */
const textDifference = (expected: string, output: string, path: string): string => {
  const [wanted, got] = [expected.split('\n'), output.split('\n')]
  if (wanted.length === 1 && got.length === 1) return unlike(expected, output, path)
  const line = wanted.findIndex((each, index) => each !== got[index])
  const at = line === -1 ? wanted.length : line
  return unlike(wanted[at], got[at], `${path}, line ${at + 1}`)
}

const unlike = (expected: unknown, output: unknown, path: string): string =>
  `${path === '' ? 'output' : path}: expected ${shown(expected)}, got ${shown(output)}`

const longest = 300

const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length <= longest ? text : `${text.slice(0, longest - 3)}...`
}
