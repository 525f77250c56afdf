import type { CAC } from 'cac'
import { exitCode, fromSystem, YokeError } from './errors.ts'
import { printable } from './ui/format.ts'
import { name, version } from './version.ts'

/** What a file in `commands/` exports: its options, examples and action, added to a cac instance. */
export type Define = (cli: CAC) => void

/** Loaded only when asked for, so that `yoke --version` starts as fast as a program that does nothing. */
const commands: Readonly<
  Record<
    string,
    { readonly usage: string; readonly summary: string; readonly load: () => Promise<{ define: Define }> }
  >
> = {
  brute: {
    usage: 'brute <task.md>',
    summary: 'Work on a task until an independent judge says it is done',
    load: () => import('./commands/brute.ts'),
  },
  saga: {
    usage: 'saga <goal.md>',
    summary: 'Work on a goal, planned cycle by cycle, until it is reached',
    load: () => import('./commands/saga.ts'),
  },
  resume: {
    usage: 'resume [run]',
    summary: 'Go on with a run that was stopped',
    load: () => import('./commands/resume.ts'),
  },
  status: {
    usage: 'status [run]',
    summary: 'Show the state of a run',
    load: () => import('./commands/status.ts'),
  },
  stop: {
    usage: 'stop',
    summary: 'End the run in this project after its iteration',
    load: () => import('./commands/stop.ts'),
  },
  trim: {
    usage: 'trim <session>',
    summary: 'Cut a session down to the files that are named',
    load: () => import('./commands/trim.ts'),
  },
  restore: {
    usage: 'restore <session>',
    summary: 'Undo the newest trim of a session',
    load: () => import('./commands/restore.ts'),
  },
  inspect: {
    usage: 'inspect <session>',
    summary: 'Show what a session is made of',
    load: () => import('./commands/inspect.ts'),
  },
  demo: {
    usage: 'demo',
    summary: 'Watch a small task being done, with the real Claude Code CLI and no account',
    load: () => import('./commands/demo.ts'),
  },
  init: {
    usage: 'init [task.md]',
    summary: 'Write a commented example task',
    load: () => import('./commands/init.ts'),
  },
  schema: {
    usage: 'schema',
    summary: 'Print the JSON Schema of the front matter, for editors',
    load: () => import('./commands/schema.ts'),
  },
  vectors: {
    usage: 'vectors',
    summary: 'Run the test vectors on yoke, or on another implementation',
    load: () => import('./commands/vectors.ts'),
  },
}

const main = async (argv: readonly string[]): Promise<number> => {
  const [first] = argv
  if (first === '--version' || first === '-v' || first === '-V') {
    process.stdout.write(`${name} ${version}\n`)
    return exitCode.done
  }
  const { cac } = await import('cac')
  const cli = cac(name)
  const command = first === undefined ? undefined : commands[first]
  if (command === undefined) return overview(cli, first)
  const { define } = await command.load()
  define(cli)
  cli.help()
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

const overview = (cli: CAC, word: string | undefined): number => {
  for (const { usage, summary } of Object.values(commands)) cli.command(usage, summary)
  cli.usage('<command> [options]')
  cli.example('  yoke init && yoke brute task.md')
  cli.example('  yoke demo')
  cli.help()
  cli.version(version)
  if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
    cli.parse(['', name], { run: false })
    cli.outputHelp()
    return exitCode.done
  }
  throw new YokeError(
    'E_USAGE',
    `There is no command "${word}".`,
    'Run `yoke --help` to see the commands.',
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
