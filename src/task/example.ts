import { stringify } from 'yaml'
import { aboutDirective, type DirectiveKey, defaultOf, directiveKeys } from './directives.ts'

const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim()

const lines = (key: DirectiveKey, set: Readonly<Partial<Record<DirectiveKey, unknown>>>): string => {
  const { title, description, choices, example } = aboutDirective(key)
  const fallback = defaultOf(key)
  const isEmpty = fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)
  const note = isEmpty
    ? `\n# For example: ${flow(example)}`
    : choices === undefined
      ? ''
      : ` (${choices.join(', ')})`
  const value = set[key] === undefined ? `# ${key}: ${flow(fallback ?? 'none')}` : `${key}: ${flow(set[key])}`
  return `# ${title}: ${description}${note}\n${value}`
}

const placeholder = `# What is to be done

Say what is wanted, where it belongs and what it must not break. The worker reads this text, and so does the judge,
who looks at the repository and decides whether it is done.

## It is done when

- Say what can be checked: a command that passes, a file that is there, a behaviour that a test shows.
`

export type ExampleChoices = {
  /** Directives that are set, and not only shown. */
  readonly set?: Readonly<Partial<Record<DirectiveKey, unknown>>>
  readonly prompt?: string
}

/** A task file to start from: every directive stands there, those that are not set with their default, commented out. */
export const exampleTask = ({ set = {}, prompt }: ExampleChoices = {}): string => `---
# Directives. Each stands here with its default: take the # before its name away to set it.

${directiveKeys.map((key) => lines(key, set)).join('\n\n')}
---

${prompt === undefined ? placeholder : `${prompt.trim()}\n`}`
