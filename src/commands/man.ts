import { commands, groups } from '../commands.ts'
import type { Define } from '../main.ts'
import { version } from '../version.ts'
import { type CommandShape, describeCommands } from './describe.ts'

export const define: Define = (cli) => {
  cli
    .command('man', 'Print the manual page')
    .example('  yoke man | man -l -')
    .example('  yoke man > ~/.local/share/man/man1/yoke.1')
    .action(async () => {
      process.stdout.write(manPage(await describeCommands(), version))
    })
}

/** The manual in the language of `man` (man(7)), made of the same table as the help. */
export const manPage = (shapes: readonly CommandShape[], release: string): string =>
  `${[
    `.TH YOKE 1 "" "yoke ${release}" "User Commands"`,
    '.SH NAME',
    'yoke \\- keep a coding agent working on a task until an independent judge says it is done',
    '.SH SYNOPSIS',
    '.B yoke',
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    'yoke starts a coding agent again and again on one task. Between iterations it resumes the session of the agent and cuts it down to what the agent says it still needs. A judge that sees the task and the repository, never the words of the worker, decides when the task is done.',
    ...groups.flatMap((group) => [
      `.SH ${group.toUpperCase()}`,
      ...shapes
        .filter(({ name }) => commands[name]?.group === group)
        .flatMap((shape) => commandPart(shape, shapes)),
    ]),
    '.SH EXIT STATUS',
    ...exits.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, meaning]),
    '.SH ENVIRONMENT',
    ...variables.flatMap(([name, meaning]) => ['.TP', `.B ${name}`, meaning]),
    '.SH FILES',
    ...files.flatMap(([name, meaning]) => ['.TP', `.I ${roff(name)}`, meaning]),
  ].join('\n')}\n`

/** What the commands that carry a run share is told once, at the first of them. */
const commandPart = (
  { name, usage, description, options, examples }: CommandShape,
  shapes: readonly CommandShape[],
): readonly string[] => {
  const shared = shapes.find((each) => each.name === 'brute')?.options.map(({ raw }) => raw) ?? []
  const taken = new Set(options.map(({ raw }) => raw))
  const missing = shared.filter((raw) => !taken.has(raw))
  const isLikeBrute = name !== 'brute' && missing.length < shared.length / 2
  const own = isLikeBrute ? options.filter(({ raw }) => !shared.includes(raw)) : options
  return [
    `.SS yoke ${roff(usage)}`,
    `${roff(description)}.`,
    ...(isLikeBrute ? ['It takes the options of', '.BR "yoke brute"', likeBrute(missing)] : []),
    ...own.flatMap(({ raw, description: meaning }) => ['.TP', `.B ${roff(raw)}`, roff(meaning)]),
    '.PP',
    'Examples:',
    '.PP',
    '.nf',
    ...examples.map((example) => `.RS 4\n${roff(example)}\n.RE`),
    '.fi',
  ]
}

const likeBrute = (missing: readonly string[]): string =>
  missing.length === 0 ? 'as well.' : `but for ${missing.map(roff).join(', ')}.`

/** A hyphen that is typed is a minus; a dot or an apostrophe at the beginning of a line would be a request. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')

const exits = [
  ['0', 'Done.'],
  ['1', 'Failed.'],
  ['2', 'Wrong usage: a flag, a directive, the task file.'],
  ['3', 'A limit was reached.'],
  ['4', 'Blocked: a person is needed.'],
  ['5', 'The agent keeps failing, or the loop is stuck.'],
  ['6', 'Another yoke holds the project or the session.'],
  ['130, 143', 'Stopped by a signal.'],
] as const

const variables = [
  ['YOKE_DISABLE_SESSION_TRIM', 'With 1, no session is trimmed, whatever tasks and configs say.'],
  ['NO_COLOR', 'With any value, nothing is coloured.'],
  ['XDG_CONFIG_HOME', 'The folder of yoke/config.yaml; ~/.config when it is not set.'],
] as const

const files = [
  ['.loop/notes.md', 'The notes of the agent: what is to be kept (KEEP:), whether to start afresh (RESET:).'],
  ['.loop/config.yaml', 'Directives of the project.'],
  ['.loop/runs/', 'What was said and done, a folder a run.'],
] as const
