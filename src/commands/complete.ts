import type { CommandShape, OptionShape } from './describe.ts'

/** What may stand at the cursor: words with what they mean, or a file. */
export type Candidates =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  | { readonly kind: 'files' }

export type Candidate = { readonly value: string; readonly description: string }

export type Known = {
  readonly commands: readonly CommandShape[]
  readonly summaries: Readonly<Record<string, string>>
  /** Ids of the runs of this project, the newest first. */
  readonly runs: readonly string[]
  /** Ids of the sessions of this project. */
  readonly sessions: readonly string[]
}

/**
 * The candidates for the last of the words behind `yoke`, which may be empty. A shell that parts words at `=` (bash) hands over
 * `--agent`, `=`, `cl`; one that does not, `--agent=cl`, and wants the whole word back.
 */
export const complete = (words: readonly string[], known: Known): Candidates => {
  const current = words.at(-1) ?? ''
  const [name = ''] = words
  if (words.length <= 1)
    return startingWith(
      current,
      [...Object.entries(known.summaries), ['--help', 'Print help'], ['--version', 'Print the version']].map(
        ([value = '', description = '']) => ({ value, description }),
      ),
    )
  const command = known.commands.find((each) => each.name === name)
  if (command === undefined) return { kind: 'words', words: [] }
  const before = words.slice(1, -1)
  const [joined, flag, typed] = /^(--[\w-]+)=(.*)$/.exec(current) ?? []
  if (joined !== undefined) return prefixed(`${flag}=`, valuesOf(optionOf(command, flag ?? ''), typed ?? ''))
  const parted = current === '=' ? before.at(-1) : before.at(-1) === '=' ? before.at(-2) : undefined
  if (parted !== undefined) return valuesOf(optionOf(command, parted), current === '=' ? '' : current)
  const open = optionOf(command, before.at(-1) ?? '')
  if (open?.hint !== undefined && !(open.isValueOptional && current.startsWith('-')))
    return valuesOf(open, current)
  if (current.startsWith('-'))
    return startingWith(
      current,
      command.options.flatMap(({ names, description }) => names.map((value) => ({ value, description }))),
    )
  return argument(command, before, current, known)
}

const optionOf = (command: CommandShape, flag: string): OptionShape | undefined =>
  command.options.find(({ names }) => names.includes(flag))

const valuesOf = (option: OptionShape | undefined, typed: string): Candidates => {
  const parts = option?.hint?.split('|') ?? []
  const isFile = parts.some((part) => /file|path|folder/.test(part))
  const choices = parts.length < 2 ? [] : parts.filter((part) => part !== 'file')
  const words = startingWith(
    typed,
    choices.map((value) => ({ value, description: '' })),
  )
  return isFile ? orFiles(words) : words
}

/** Files, where no word fits. */
const orFiles = (words: Candidates): Candidates =>
  words.kind === 'words' && words.words.length === 0 ? { kind: 'files' } : words

const argument = (
  command: CommandShape,
  before: readonly string[],
  current: string,
  { runs, sessions }: Known,
): Candidates => {
  switch (command.arguments[positionals(command, before)]) {
    case 'run':
      return startingWith(
        current,
        runs.map((value) => ({ value, description: 'a run of this project' })),
      )
    case 'session':
      return orFiles(
        startingWith(
          current,
          sessions.map((value) => ({ value, description: 'a session of this project' })),
        ),
      )
    case 'shell':
      return startingWith(
        current,
        ['bash', 'zsh', 'fish'].map((value) => ({ value, description: '' })),
      )
    case undefined:
      return { kind: 'words', words: [] }
    default:
      return { kind: 'files' }
  }
}

/** How many arguments stand before the cursor; the value of an option is none. */
const positionals = (command: CommandShape, before: readonly string[]): number =>
  before.filter((word, index) => {
    const option = optionOf(command, before[index - 1] ?? '')
    return !word.startsWith('-') && (option?.hint === undefined || option.isValueOptional)
  }).length

const startingWith = (typed: string, all: readonly Candidate[]): Candidates => ({
  kind: 'words',
  words: all.filter(({ value }) => value.startsWith(typed)),
})

const prefixed = (prefix: string, candidates: Candidates): Candidates =>
  candidates.kind === 'files'
    ? candidates
    : {
        kind: 'words',
        words: candidates.words.map(({ value, description }) => ({ value: prefix + value, description })),
      }

/** One candidate a line, its meaning behind a tab, below a line that says what they are. */
export const candidateLines = (candidates: Candidates): string =>
  candidates.kind === 'files'
    ? 'files\n'
    : `words\n${candidates.words.map(({ value, description }) => `${value}\t${description.replace(/\s+/g, ' ')}\n`).join('')}`
