import { type CAC, cac } from 'cac'
import { type CommandEntry, commands } from '../commands.ts'
import { name as program } from '../version.ts'

export type OptionShape = {
  /** `-q`, `--quiet`. */
  readonly names: readonly string[]
  /** As the help shows it: `-q, --quiet` or `--model <model>`. */
  readonly raw: string
  readonly description: string
  /** What stands for the value; undefined when the option takes none. */
  readonly hint?: string
  /** The value may be left out. */
  readonly isValueOptional: boolean
}

export type CommandShape = {
  readonly name: string
  readonly usage: string
  readonly description: string
  /** What stands for each argument: `task.md`, `run`. */
  readonly arguments: readonly string[]
  readonly options: readonly OptionShape[]
  readonly examples: readonly string[]
}

/** Every command with its options, as the commands define themselves: help, manual and completions rest on one table. */
export const describeCommands = (): Promise<readonly CommandShape[]> =>
  Promise.all(Object.entries(commands).map(([name, entry]) => describeCommand(name, entry)))

export const describeCommand = async (name: string, entry: CommandEntry): Promise<CommandShape> => {
  const { define } = await entry.load()
  const cli: CAC = cac(program)
  define(cli)
  const command = cli.commands.find((each) => each.name === name)
  if (command === undefined) throw new TypeError(`The command ${name} does not define itself.`)
  return {
    name,
    usage: command.rawName,
    description: command.description,
    arguments: command.args.map(({ value }) => value),
    options: [...command.options.map(({ rawName, description }) => optionShape(rawName, description)), help],
    examples: command.examples.map((example) =>
      (typeof example === 'string' ? example : example(program)).trim(),
    ),
  }
}

const optionShape = (raw: string, description: string): OptionShape => {
  const value = /[<[](.+)[>\]]$/.exec(raw)?.[1]
  return {
    names: raw.match(/(?<![\w-])--?[\w-]+/g) ?? [],
    raw,
    description,
    ...(value === undefined ? {} : { hint: value }),
    isValueOptional: raw.endsWith(']'),
  }
}

const help = optionShape('-h, --help', 'Print help')
