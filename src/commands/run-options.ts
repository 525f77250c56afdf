import type { Command } from 'cac'
import picocolors from 'picocolors'
import type { Agent } from '../agents/agent.ts'
import { findExecutable } from '../agents/find-executable.ts'
import { agentByName } from '../agents/registry.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import type { InstalledAgent } from '../run/context.ts'
import { dryRun } from '../run/dry-run.ts'
import { lookAtFleet, runFleet } from '../run/fleet.ts'
import { loopFolder, runFolder } from '../run/folder.ts'
import { readJournal } from '../run/journal.ts'
import { type RunRequest, startRun } from '../run/start.ts'
import { startOrResume } from '../run/start-or-resume.ts'
import type { Directives } from '../task/directives.ts'
import { directiveFlags, directiveOptions } from '../task/options.ts'
import { askOnTerminal } from '../ui/ask.ts'
import { dryRunText } from '../ui/dry-run.ts'
import { createFleetOutput } from '../ui/fleet-output.ts'
import { printableJson } from '../ui/format.ts'
import type { Notify } from '../ui/notify.ts'
import { createOutput, wantsColor } from '../ui/output.ts'

/** The options of the commands that carry a run, as cac gives them: directives, and how the run is shown. */
export type RunOptions = Readonly<Record<string, unknown>>

/** Adds every directive as a flag, and how the run is shown. */
export const addRunOptions = (command: Command): void => {
  for (const { flag, help } of directiveOptions) command.option(flag, help)
  command
    .option('--trust', 'Agree to the programs and rights that the project asks for')
    .option('--json', 'Print the events, one JSON object a line')
    .option('-q, --quiet', 'Print only how the run ends')
    .option('--plain', 'Print lines of plain words: no live block, no colour; for screen readers')
    .option('--notify [bell|desktop|all]', 'Tell you on the terminal when the run waits or ends (alone: all)')
}

/** Throws `E_NOT_LOGGED_IN`, `E_AGENT_RELEASE`, exit code 4: a night that ends at its first request is better ended before it begins. */
const requireReady = async (agent: Agent, file: string): Promise<void> => {
  const broken = await agent.brokenRelease?.(file, process.env)
  if (broken !== undefined)
    throw new YokeError('E_AGENT_RELEASE', broken, `Update it: ${agent.install}`, exitCode.blocked)
  if ((await agent.isLoggedIn(file, process.cwd(), process.env)) === false)
    throw new YokeError(
      'E_NOT_LOGGED_IN',
      `The agent \`${agent.name}\` has neither a login nor a key.`,
      `Log in with \`${agent.login}\`, or set its key in the environment.`,
      exitCode.blocked,
    )
}

/** Adds what only a run that begins can be asked for. */
export const addStartOptions = (command: Command): void => {
  addRunOptions(command)
  command
    .option('--resume', 'Go on with the newest run of this task, if there is one; do nothing if it is done')
    .option('--dry-run', 'Show the directives, the prompts and the commands of a run, and start none')
    .option(
      '--worktree [name]',
      'Work in a git worktree of its own beside the repository, on the branch yoke/<name>; it stays when it has commits',
    )
}

/** Begins a run of a task file in this folder, or shows what it would do; resolves to the exit code. */
export const beginRun = async (
  options: RunOptions,
  file: string,
  kind: 'brute' | 'saga',
): Promise<number> => {
  if (options['dryRun'] !== true) {
    const worktree = worktreeOf(options['worktree'])
    if (options['resume'] === true && worktree !== undefined)
      throw new YokeError(
        'E_USAGE',
        '--resume and --worktree do not go together: a run in a worktree is resumed by its id.',
        'Run `yoke runs --all`, then `yoke resume RUN`.',
        exitCode.usage,
      )
    const start = options['resume'] === true ? startOrResume : startRun
    return carryRun(options, (request) => start({ ...request, worktree }, file, kind))
  }
  const plan = await dryRun(
    {
      project: process.cwd(),
      env: process.env,
      flags: directiveFlags(options),
      findAgent: (name, directives) => findAgent(name, directives, async () => {}),
    },
    file,
    kind,
  )
  const colors = picocolors.createColors(wantsColor(process.stdout, process.env))
  process.stdout.write(`${options['json'] === true ? printableJson(plan) : dryRunText(plan, colors)}\n`)
  return exitCode.done
}

/** Works on several tasks at once, each in a worktree; resolves to the exit code. */
export const beginFleet = async (options: RunOptions, files: readonly string[]): Promise<number> => {
  for (const name of ['resume', 'dryRun', 'worktree', 'branch'])
    if (options[name] !== undefined && options[name] !== false)
      throw new YokeError(
        'E_USAGE',
        `--${name === 'dryRun' ? 'dry-run' : name} is for one task, and ${files.length} are named.`,
        'Each of several tasks gets a worktree and a branch of its own; leave the option out.',
        exitCode.usage,
      )
  const parallel = parallelOf(options['parallel'])
  const request = requestOf(options, process.cwd())
  const tasks = await lookAtFleet(request, files)
  const output = createFleetOutput(shownAs(options), process.stdout, process.env)
  try {
    return await runFleet(request, tasks, { ...output, parallel })
  } finally {
    output.close(tasks.map(({ name }) => name))
  }
}

const parallelOf = (given: unknown): number => {
  const n = given === undefined ? 2 : Number(given)
  if (Number.isSafeInteger(n) && n >= 1) return n
  throw new YokeError(
    'E_USAGE',
    `--parallel must be a whole number, 1 or more, but is ${String(given)}.`,
    'Name how many tasks may be worked on at once.',
    exitCode.usage,
  )
}

/** The image has the agent, and the container gets the key: then the host needs neither. */
const findAgent = async (
  name: string,
  directives: Directives,
  ready: (agent: Agent, file: string) => Promise<void>,
): Promise<InstalledAgent> => {
  const agent = agentByName(name)
  if (directives.image !== undefined) return { agent, agentFile: agent.name }
  const agentFile = await findExecutable(agent, process.env)
  await ready(agent, agentFile)
  return { agent, agentFile }
}

/** Carries a run in a folder, this one if none is named, shown as the options say; resolves to the exit code. */
export const carryRun = async (
  options: RunOptions,
  carry: (request: RunRequest) => Promise<RunEvent & { type: 'run.finished' }>,
  project = process.cwd(),
): Promise<number> => {
  const output = createOutput(
    {
      ...shownAs(options),
      past: (run) => readJournal(runFolder(loopFolder(project), run).events).slice(0, -1),
    },
    process.stdout,
    process.env,
  )
  const end = await carry({
    ...requestOf(options, project),
    onEvent: output.event,
    onActivity: output.activity,
  })
  return end.exitCode
}

const shownAs = (options: RunOptions) => ({
  json: options['json'] === true,
  quiet: options['quiet'] === true,
  plain: options['plain'] === true,
  notify: notifyOf(options['notify']),
})

const requestOf = (options: RunOptions, project: string): Omit<RunRequest, 'onEvent' | 'onActivity'> => ({
  project,
  env: process.env,
  flags: directiveFlags(options),
  askForTrust: options['trust'] === true ? async () => true : askOnTerminal,
  findAgent: (name, directives) => findAgent(name, directives, requireReady),
})

const worktreeOf = (given: unknown): { readonly name?: string } | undefined => {
  if (given === undefined || given === false) return undefined
  return given === true ? {} : { name: String(given) }
}

const notifyOf = (given: unknown): Notify | undefined => {
  if (given === undefined || given === false) return undefined
  if (given === true || given === 'all') return 'all'
  if (given === 'bell' || given === 'desktop') return given
  throw new YokeError(
    'E_USAGE',
    `--notify does not know "${String(given)}".`,
    'Name one of: bell, desktop, all.',
    exitCode.usage,
  )
}
