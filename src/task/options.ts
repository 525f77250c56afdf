import * as v from 'valibot'
import { parse } from 'yaml'
import {
  aboutDirective,
  type DirectiveKey,
  DirectivesSchema,
  defaultOf,
  directiveKeys,
} from './directives.ts'

/** A directive as a long flag of the command line. */
export type DirectiveOption = {
  readonly key: DirectiveKey
  /** As cac takes it: `--max-iterations <n>`. */
  readonly flag: string
  /** Names the default too: one handed to cac would come out as a given flag and win over the front matter. */
  readonly help: string
  readonly default: unknown
  readonly repeatable: boolean
  readonly choices: readonly string[]
}

const isRepeatable = (key: DirectiveKey): boolean => Array.isArray(defaultOf(key))

const optionOf = (key: DirectiveKey): DirectiveOption => {
  const { description, hint, choices = [] } = aboutDirective(key)
  const fallback = defaultOf(key)
  const repeatable = isRepeatable(key)
  const note = repeatable ? ' (repeatable)' : fallback === undefined ? '' : ` (default: ${fallback})`
  return {
    key,
    // In square brackets the value may be left out: `--trim` and `--no-trim` mean on and off.
    flag: hint.startsWith('on|off') ? `--${key} [${hint}]` : `--${key} <${hint}>`,
    help: description + note,
    default: fallback,
    repeatable,
    choices,
  }
}

/** Every directive as a flag, in the order of the schema. */
export const directiveOptions: readonly DirectiveOption[] = directiveKeys.map(optionOf)

const camelCase = (key: string): string =>
  key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * The directives among parsed options (camel case, as cac gives them), by key and as yet unchecked; other options are
 * left alone. Of a flag that is given twice the last counts, unless it is repeatable.
 */
export const directiveFlags = (options: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    directiveKeys.flatMap((key) => {
      const given = options[camelCase(key)] ?? options[key]
      return given === undefined ? [] : [[key, isRepeatable(key) ? joined(key, given) : last(given)]]
    }),
  )

const last = (given: unknown): unknown => (Array.isArray(given) ? given.at(-1) : given)

/** One flag may hold several items (`--allowed-tools "Read, Edit"`): each is read on its own. */
const joined = (key: DirectiveKey, given: unknown): unknown => {
  const items = [given].flat().map((item) => (key === 'periodics' ? fromYaml(item) : item))
  if (items.length === 1 && key !== 'periodics') return items[0]
  return items.flatMap((item) => {
    const { success, output } = v.safeParse(DirectivesSchema.entries[key].wrapped, item)
    return success && Array.isArray(output) ? output : [item]
  })
}

const fromYaml = (text: unknown): unknown => {
  try {
    return typeof text === 'string' ? parse(text) : text
  } catch {
    return text
  }
}
