import type { Command } from 'cac'
import type { Agent } from '../agents/agent.ts'
import { findExecutable } from '../agents/find-executable.ts'
import { agentByName } from '../agents/registry.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import { loopFolder, runFolder } from '../run/folder.ts'
import { readJournal } from '../run/journal.ts'
import type { RunRequest } from '../run/start.ts'
import { directiveFlags, directiveOptions } from '../task/options.ts'
import { askOnTerminal } from '../ui/ask.ts'
import type { Notify } from '../ui/notify.ts'
import { createOutput } from '../ui/output.ts'

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

/** Throws `E_NOT_LOGGED_IN`, exit code 4: a night that ends at its first request is better ended before it begins. */
const requireLogin = async (agent: Agent, file: string): Promise<void> => {
  if ((await agent.isLoggedIn(file, process.cwd(), process.env)) === false)
    throw new YokeError(
      'E_NOT_LOGGED_IN',
      `The agent \`${agent.name}\` has neither a login nor a key.`,
      `Log in with \`${agent.login}\`, or set its key in the environment.`,
      exitCode.blocked,
    )
}

/** Carries a run in this folder, shown as the options say; resolves to the exit code. */
export const carryRun = async (
  options: RunOptions,
  carry: (request: RunRequest) => Promise<RunEvent & { type: 'run.finished' }>,
): Promise<number> => {
  const output = createOutput(
    {
      json: options['json'] === true,
      quiet: options['quiet'] === true,
      plain: options['plain'] === true,
      notify: notifyOf(options['notify']),
      past: (run) => readJournal(runFolder(loopFolder(process.cwd()), run).events).slice(0, -1),
    },
    process.stdout,
    process.env,
  )
  const end = await carry({
    project: process.cwd(),
    env: process.env,
    flags: directiveFlags(options),
    askForTrust: options['trust'] === true ? async () => true : askOnTerminal,
    findAgent: async (directives) => {
      const agent = agentByName(directives.agent)
      // The image has the agent, and the container gets the key: the host needs neither.
      if (directives.image !== undefined) return { agent, agentFile: agent.name }
      const agentFile = await findExecutable(agent, process.env)
      await requireLogin(agent, agentFile)
      return { agent, agentFile }
    },
    onEvent: output.event,
    onActivity: output.activity,
  })
  return end.exitCode
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
