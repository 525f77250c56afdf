import type { CommandLine, Installation, Invocation } from '../agent.ts'
import { refuseReserved } from '../reserved-arguments.ts'
import { chosenAgent, objectIn, withRules } from './chosen-agent.ts'
import { environmentIn, jsonVariable } from './environment.ts'
import { allowRules, modeRules } from './permissions.ts'
import { readOnlyEnv } from './read-only.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The command line of one start of `opencode run`. The prompt goes in by standard input: an argument with white space
 * reaches the model in quotes (1.18.33). Throws `E_AGENT_ARGS` when `extraArgs` contradict it, and
 * `E_AGENT_CONFIG`.
 */
export const commandLine = (
  file: string,
  invocation: Invocation,
  env: Env,
  installation: Installation = { settings: {}, env: {} },
): CommandLine => {
  const { session, access, model, extraArgs = [] } = invocation
  refuseReserved({ options: reserved }, extraArgs)
  const own =
    access === 'read-only' ? readOnlyEnv(env, installation) : workerEnv(env, invocation, installation)
  return {
    file,
    args: [
      'run',
      ...['--format', 'json'],
      // A failed request that is tried again shows nowhere else (1.18.33).
      ...['--print-logs', '--log-level', 'ERROR'],
      ...(model === undefined ? [] : ['--model', model]),
      // Never `--continue`: it takes the newest session of the project, or silently a new one.
      ...(session.kind === 'resume' ? ['--session', session.id] : []),
      ...extraArgs,
    ],
    stdin: invocation.prompt,
    env: environmentIn(invocation.cwd, { ...env, ...own }),
  }
}

/**
 * Nobody answers: what would be asked is refused, and a refusal does not end the turn. `allowed-tools` are rules of the agent that
 * runs: among those of the whole configuration they would take the place of what the user forbids.
 */
const workerEnv = (
  env: Env,
  { permissionMode = 'acceptEdits', allowedTools = [], extraArgs = [] }: Invocation,
  { configuration }: Installation,
) => {
  const config = jsonVariable(env, 'OPENCODE_CONFIG_CONTENT')
  const agents = objectIn(config['agent'])
  const { name, rules } = chosenAgent(configuration ?? config, extraArgs)
  const permission = withRules(rules, allowRules(allowedTools))
  const allowed = { ...agents, [name]: { ...objectIn(agents[name]), permission } }
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      ...config,
      ...(allowedTools.length === 0 ? {} : { agent: allowed }),
      experimental: { ...objectIn(config['experimental']), continue_loop_on_deny: true },
    }),
    OPENCODE_PERMISSION: JSON.stringify({
      ...jsonVariable(env, 'OPENCODE_PERMISSION'),
      ...modeRules(permissionMode),
    }),
  }
}

/** Options that yoke stands on: given twice, OpenCode takes both or the last one without a word. */
const reserved = new Map([
  ['--format', 'yoke reads the event stream'],
  ['--print-logs', 'yoke reads the log'],
  ['--log-level', 'yoke reads the log'],
  ['-c', 'yoke chooses the session'],
  ['--continue', 'yoke chooses the session'],
  ['-s', 'yoke chooses the session'],
  ['--session', 'yoke chooses the session'],
  ['--fork', 'yoke chooses the session'],
  ['-m', 'the directive `model` sets it'],
  ['--model', 'the directive `model` sets it'],
  ['--auto', 'the directive `permission-mode` sets it'],
  ['--dangerously-skip-permissions', 'the directive `permission-mode` sets it'],
  ['--dir', 'yoke works in the project'],
  ['--attach', 'yoke starts a process of its own'],
  ['--command', 'yoke hands the prompt over as text'],
  ['-i', 'nobody answers'],
  ['--interactive', 'nobody answers'],
])
