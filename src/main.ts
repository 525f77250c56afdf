import type { CAC } from 'cac'
import { commands } from './commands.ts'
import { exitCode, fromSystem, YokeError } from './errors.ts'
import { printable } from './ui/format.ts'
import { name, version } from './version.ts'

/** What a file in `commands/` exports: its options, examples and action, added to a cac instance. */
export type Define = (cli: CAC) => void

const main = async (argv: readonly string[]): Promise<number> => {
  const [first] = argv
  if (first === '--version' || first === '-v' || first === '-V') {
    process.stdout.write(`${name} ${version}\n`)
    return exitCode.done
  }
  if (first === 'complete') {
    await (await import('./commands/completions.ts')).answer(argv.slice(1))
    return exitCode.done
  }
  const command = first !== undefined && Object.hasOwn(commands, first) ? commands[first] : undefined
  if (command === undefined) return overview(first)
  const { cac } = await import('cac')
  const cli = cac(name)
  const { define } = await command.load()
  define(cli)
  cli.help((sections) => [
    { body: `${command.summary}.` },
    // The first names the program, which one has just typed.
    ...sections.slice(1),
  ])
  cli.parse(['', name, ...argv], { run: false })
  if (cli.options['help'] === true) return exitCode.done
  const result: unknown = await runNamingNearest(cli)
  return typeof result === 'number' ? result : exitCode.done
}

/** Runs the command; an option that it does not know is named with the nearest one that it knows. */
const runNamingNearest = async (cli: CAC): Promise<unknown> => {
  try {
    return await cli.runMatchedCommand()
  } catch (error) {
    const unknown =
      error instanceof Error ? /^Unknown option `(--?[\w-]+)`/.exec(error.message)?.[1] : undefined
    if (unknown === undefined) throw error
    const { closest } = await import('fastest-levenshtein')
    const known = (cli.matchedCommand?.options ?? []).flatMap(
      ({ rawName }) => rawName.match(/--[\w-]+/g) ?? [],
    )
    throw new YokeError(
      'E_USAGE',
      `There is no option ${kebab(unknown)}.`,
      `Did you mean ${closest(kebab(unknown), known)}? Run the command with --help to see them all.`,
      exitCode.usage,
    )
  }
}

/** cac reports options in camel case. */
const kebab = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const overview = async (word: string | undefined): Promise<number> => {
  if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
    const { helpText } = await import('./commands/help.ts')
    process.stdout.write(helpText())
    return exitCode.done
  }
  const { closest, distance } = await import('fastest-levenshtein')
  const near = closest(word, Object.keys(commands))
  throw new YokeError(
    'E_USAGE',
    `There is no command "${word}".`,
    `${distance(word, near) <= 3 ? `Did you mean \`yoke ${near}\`? ` : ''}Run \`yoke --help\` to see the commands.`,
    exitCode.usage,
  )
}

const report = (thrown: unknown): number => {
  const error = fromSystem(thrown) ?? thrown
  if (error instanceof YokeError) {
    // What it names (a file, a directive, an answer) may come from a repository that nobody trusts yet.
    process.stderr.write(printable(`yoke: ${error.message}\n${error.fix}\n[${error.code}]\n`))
    return error.exit
  }
  if (error instanceof Error && error.name === 'CACError') {
    process.stderr.write(
      printable(`yoke: ${error.message}.\nRun the command with --help to see its options.\n[E_USAGE]\n`),
    )
    return exitCode.usage
  }
  process.stderr.write(
    `This is a bug in yoke. Please report it with the lines below.\n${error instanceof Error ? error.stack : String(error)}\n`,
  )
  return exitCode.failed
}

// A reader that goes away (`yoke logs | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? exitCode.done : exitCode.failed),
)

process.exitCode = await main(process.argv.slice(2)).catch(report)
