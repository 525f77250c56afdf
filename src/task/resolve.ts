import { closest, distance } from 'fastest-levenshtein'
import * as v from 'valibot'
import { exitCode, YokeError } from '../errors.ts'
import {
  aboutDirective,
  type DirectiveKey,
  type Directives,
  DirectivesSchema,
  defaultOf,
  directiveKeys,
} from './directives.ts'

export type LayerName =
  | 'environment'
  | 'flag'
  | 'front matter'
  | 'stored'
  | 'project config'
  | 'user config'
  | 'default'

/** What one place says about directives. */
export type Layer = {
  readonly name: LayerName
  /** The file, as people are shown it; empty for flags. */
  readonly where: string
  readonly values: Readonly<Record<string, unknown>>
  /** The line of each key, where known. */
  readonly lines?: Readonly<Record<string, number>>
}

export type Resolved = {
  readonly directives: Directives
  readonly origin: Readonly<Record<DirectiveKey, LayerName>>
}

/**
 * Merges layers, the strongest first: a whole value wins, lists are not joined. Every layer is checked whole, so a
 * bad value is found even where a stronger layer hides it. Throws `E_UNKNOWN_DIRECTIVE` or `E_BAD_DIRECTIVE` (exit 2)
 * with a sentence for each problem.
 */
export const resolveDirectives = (layers: readonly Layer[]): Resolved => {
  const problems = layers.flatMap(problemsOf)
  const [first] = problems
  if (first !== undefined)
    throw new YokeError(
      first.code,
      problems.map(({ message }) => message).join('\n'),
      first.fix,
      exitCode.usage,
    )
  const strongest = (key: DirectiveKey) => layers.find(({ values }) => Object.hasOwn(values, key))
  const chosen = directiveKeys.flatMap((key) => {
    const layer = strongest(key)
    return layer === undefined ? [] : [[key, layer.values[key]] as const]
  })
  const parsed = v.parse(DirectivesSchema, Object.fromEntries(chosen))
  const directives = Object.fromEntries(
    Object.entries(parsed).filter(([, value]) => value !== undefined),
  ) as typeof parsed
  const origin = Object.fromEntries(
    directiveKeys.map((key) => [key, strongest(key)?.name ?? 'default']),
  ) as Resolved['origin']
  refuseUseless(directives, layers)
  return { directives, origin }
}

type Problem = { readonly code: `E_${string}`; readonly message: string; readonly fix: string }

const problemsOf = (layer: Layer): readonly Problem[] =>
  Object.entries(layer.values).flatMap(([key, value]) => {
    if (!isDirective(key)) return [unknownDirective(layer, key)]
    return v.safeParse(DirectivesSchema.entries[key], value).success ? [] : [badDirective(layer, key, value)]
  })

const isDirective = (key: string): key is DirectiveKey => Object.hasOwn(DirectivesSchema.entries, key)

const unknownDirective = (layer: Layer, key: string): Problem => {
  const plain = key
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
  const nearest = closest(plain, directiveKeys)
  const isNear = distance(plain, nearest) <= Math.max(2, Math.floor(nearest.length / 3))
  return {
    code: 'E_UNKNOWN_DIRECTIVE',
    message: `${subject(layer, key)} is not a directive${isNear ? `; did you mean \`${nearest}\`?` : '.'}`,
    fix: isNear
      ? `Write \`${nearest}\`, or take the line out.`
      : 'Run `yoke brute --help` for the list of directives.',
  }
}

const badDirective = (layer: Layer, key: DirectiveKey, value: unknown): Problem => {
  const { expects } = aboutDirective(key)
  return {
    code: 'E_BAD_DIRECTIVE',
    message: `${subject(layer, key)} must be ${expects}${defaultOf(key) === undefined ? ', or none' : ''}, but ${shown(value)}.`,
    fix: 'Correct the value, or take it out to have the default.',
  }
}

/** A setting without effect in the task itself is a mistake; in a config it waits for the tasks that use it. */
const refuseUseless = (directives: Directives, layers: readonly Layer[]): void => {
  for (const layer of layers) {
    if (layer.name !== 'flag' && layer.name !== 'front matter') continue
    for (const key of Object.keys(layer.values).filter(isDirective)) {
      const { needs } = aboutDirective(key)
      const value = directives[key]
      const isSet =
        value !== undefined && value !== defaultOf(key) && !(Array.isArray(value) && value.length === 0)
      if (isSet && needs !== undefined && directives[needs] === undefined)
        throw new YokeError(
          'E_BAD_DIRECTIVE',
          `${subject(layer, key)} has no effect without \`${needs}\`.`,
          `Set \`${needs}\` as well, or take \`${key}\` out.`,
          exitCode.usage,
        )
    }
  }
}

const subject = ({ name, where, lines }: Layer, key: string): string => {
  if (name === 'flag') return `\`--${key}\``
  const line = lines?.[key]
  return `\`${key}\` in ${where}${line === undefined ? '' : `:${line}`}`
}

const shown = (value: unknown): string => {
  if (value === null || value === undefined) return 'it has no value'
  const text = JSON.stringify(value) ?? String(value)
  return `is ${text.length > 80 ? `${text.slice(0, 77)}...` : text}`
}
