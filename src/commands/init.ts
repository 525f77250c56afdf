import { execFile } from 'node:child_process'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { agentNames } from '../agents/registry.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { findProgram } from '../system/find-program.ts'
import { type ExampleChoices, exampleTask } from '../task/example.ts'
import { resolveDirectives } from '../task/resolve.ts'
import { findTestCommand } from '../task/test-command.ts'
import { openQuestions } from '../ui/ask.ts'

type Flags = {
  readonly agent?: unknown
  readonly check?: unknown
  readonly maxCostUsd?: unknown
  readonly prompt?: unknown
  readonly yes?: boolean
  readonly force?: boolean
}

export const define: Define = (cli) => {
  cli
    .command('init [task.md]', 'Write a task to start from, with what is found in this folder')
    .option('--prompt <text>', 'What is to be done')
    .option(`--agent <${agentNames.join('|')}>`, 'The coding agent that works; the one that is found')
    .option('--check <command>', 'The command that must pass; the one that is found; none')
    .option('--max-cost-usd <usd>', 'The run stops when it has cost so much')
    .option('-y, --yes', 'Ask nothing')
    .option('--force', 'Write over a file that is there')
    .example('  yoke init && yoke brute task.md')
    .example('  yoke init fix.md --prompt "Make slugify keep digits." --check "npm test" --yes')
    .action(async (file: string | undefined, flags: Flags) => {
      const name = String(file ?? 'task.md')
      const cwd = process.cwd()
      const force = flags.force === true
      if (!force) await refuseExisting(resolve(cwd, name), name)
      const found = await look(cwd)
      const asks = flags.yes !== true && process.stdin.isTTY === true && process.stdout.isTTY === true
      const choices = asks ? await ask(found, flags) : withoutAsking(found, flags)
      await runInit({ file: name, cwd, force, ...asTask(choices) })
      process.stdout.write(closing(name, found, choices))
    })
}

type Found = {
  readonly agents: readonly string[]
  readonly check: string | undefined
  readonly git: 'clean' | 'dirty' | 'none'
}

/** What the folder and the machine tell. */
const look = async (cwd: string): Promise<Found> => {
  const agents = await Promise.all(
    agentNames.map(async (name) => ((await findProgram(name, process.env)) === undefined ? [] : [name])),
  )
  return { agents: agents.flat(), check: await findTestCommand(cwd), git: await gitState(cwd) }
}

const gitState = (cwd: string): Promise<Found['git']> =>
  promisify(execFile)('git', ['--no-optional-locks', '-c', 'core.fsmonitor=false', 'status', '--porcelain'], {
    cwd,
  }).then(
    ({ stdout }) => (stdout === '' ? 'clean' : 'dirty'),
    () => 'none',
  )

type Choices = {
  readonly agent: string | undefined
  readonly check: string | undefined
  readonly maxCostUsd: string | undefined
  readonly prompt: string | undefined
}

const text = (given: unknown): string | undefined =>
  given === undefined || String(given).trim() === '' ? undefined : String(given).trim()

const withoutAsking = (found: Found, flags: Flags): Choices => ({
  agent: text(flags.agent) ?? found.agents[0],
  check: flags.check === undefined ? found.check : unlessNone(text(flags.check)),
  maxCostUsd: text(flags.maxCostUsd),
  prompt: text(flags.prompt),
})

const unlessNone = (value: string | undefined): string | undefined => (value === 'none' ? undefined : value)

/** What no flag says is asked; a bare Enter takes what was found. */
const ask = async (found: Found, flags: Flags): Promise<Choices> => {
  const offered = withoutAsking(found, flags)
  const questions = openQuestions(process.stdout)
  const question = async (words: string, offer: string | undefined): Promise<string | undefined> =>
    text(await questions.ask(`${words}${offer === undefined ? '' : ` [${offer}]`}: `)) ?? offer
  try {
    return {
      prompt:
        offered.prompt ??
        (await question('What is to be done? (Enter: write it into the file later)', undefined)),
      agent:
        flags.agent !== undefined || found.agents.length === 1
          ? offered.agent
          : await question(`Which agent? (${agentNames.join(', ')})`, offered.agent),
      check:
        flags.check !== undefined
          ? offered.check
          : unlessNone(
              await question(
                'Which command must pass before it is done? (none: there is none)',
                offered.check ?? 'none',
              ),
            ),
      maxCostUsd:
        offered.maxCostUsd ??
        unlessNone(await question('How many US dollars may it cost? (none: no limit)', 'none')),
    }
  } finally {
    questions.close()
  }
}

/** Without the right to run the check, the agent would write code that it cannot try. */
const asTask = ({ agent, check, maxCostUsd, prompt }: Choices): ExampleChoices => ({
  set: {
    ...(agent === undefined || agent === 'claude' ? {} : { agent }),
    ...(check === undefined ? {} : { checks: [check], 'allowed-tools': [`Bash(${check}:*)`] }),
    ...(maxCostUsd === undefined ? {} : { 'max-cost-usd': amount(maxCostUsd) }),
  },
  ...(prompt === undefined ? {} : { prompt }),
})

/** As a number where it is one, so that the file reads well; what is wrong with it, the directive says. */
const amount = (given: string): string | number => (Number.isFinite(Number(given)) ? Number(given) : given)

const closing = (name: string, { agents, git }: Found, { agent, check, prompt }: Choices): string =>
  [
    `${name} is written${check === undefined ? '' : `, with the check \`${check}\``}.`,
    ...(agent !== undefined && agents.includes(agent)
      ? []
      : [
          agent === undefined
            ? 'No agent was found: install Claude Code (npm install -g @anthropic-ai/claude-code) or OpenCode.'
            : `The agent \`${agent}\` is not on PATH yet.`,
        ]),
    ...(git === 'none'
      ? ['There is no git here: with `git init` and a commit you can see and undo what the agent does.']
      : git === 'dirty'
        ? [
            'There are changes that are not committed: commit them first, and you can tell them from those of the agent.',
          ]
        : []),
    `${prompt === undefined ? 'Say in it what is to be done, then run' : 'Now run'}: yoke brute ${name}`,
    '',
  ].join('\n')

const refuseExisting = async (path: string, file: string): Promise<void> => {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) throw alreadyThere(file)
}

export type InitOptions = ExampleChoices & {
  readonly file: string
  /** Absolute path of the project. */
  readonly cwd: string
  /** Write over a file that is there. */
  readonly force: boolean
}

/**
 * Writes a task to start from and gives back its absolute path. Throws `E_BAD_DIRECTIVE` (exit 2) for a choice that is none,
 * `E_EXISTS` (exit 2) when the file is there and `force` is off, `E_NOT_WRITABLE` when it cannot be written.
 */
export const runInit = async ({ file, cwd, force, ...choices }: InitOptions): Promise<string> => {
  resolveDirectives([{ name: 'flag', where: '', values: { ...choices.set } }])
  const path = resolve(cwd, file)
  await mkdir(dirname(path), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw notWritable(file, error)
  })
  await writeFile(path, exampleTask(choices), { flag: force ? 'w' : 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? alreadyThere(file) : notWritable(file, error)
    },
  )
  return path
}

const alreadyThere = (file: string) =>
  new YokeError(
    'E_EXISTS',
    `${file} is already there.`,
    'Name another file, or write over it with --force.',
    exitCode.usage,
  )

const notWritable = (file: string, { code, message }: NodeJS.ErrnoException) =>
  new YokeError(
    'E_NOT_WRITABLE',
    `${file} cannot be written (${code ?? message}).`,
    'Name a file in a folder that you may write to.',
  )
