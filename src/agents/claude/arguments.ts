import type { CommandLine, Installation, Invocation } from '../agent.ts'
import { refuseReserved } from '../reserved-arguments.ts'
import { withoutSessionMarkers } from './environment.ts'
import { readOnlyArguments, readOnlyEnv } from './read-only.ts'

/**
 * The command line of one start of Claude Code in print mode, without the options that the installed release lacks. Throws
 * `E_AGENT_ARGS` when `extraArgs` contradict it.
 */
export const commandLine = (
  file: string,
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
  installation: Installation = { settings: {}, env: {} },
): CommandLine => {
  const {
    session,
    access,
    answer,
    model,
    permissionMode,
    budgetUsd,
    allowedTools = [],
    extraArgs = [],
  } = invocation
  refuseReserved({ options: reserved, valued: 'dnrw' }, extraArgs)
  const readOnly = access === 'read-only'
  const { words } = installation
  const has = (option: string): boolean => words === undefined || words.has(option)
  return {
    file,
    args: [
      ...['--print', '--output-format', 'stream-json', '--verbose'],
      ...(model === undefined ? [] : ['--model', model]),
      // Never `--continue`: it takes the newest session of the folder, perhaps someone else's (frankbria/ralph-claude-code#151).
      ...(session.kind === 'resume' ? ['--resume', session.id] : []),
      ...(session.kind === 'ephemeral' && has('--no-session-persistence')
        ? ['--no-session-persistence']
        : []),
      ...(answer !== undefined && has('--json-schema') ? ['--json-schema', JSON.stringify(answer)] : []),
      // Counted from the start of this process, also in a resumed session (measured on 2.1.332).
      ...(budgetUsd !== undefined && has('--max-budget-usd')
        ? ['--max-budget-usd', budgetUsd.toFixed(4)]
        : []),
      ...(readOnly ? readOnlyArguments(installation) : []),
      ...(!readOnly && permissionMode !== undefined ? ['--permission-mode', permissionMode] : []),
      ...(!readOnly && allowedTools.length > 0 ? ['--allowedTools', ...allowedTools] : []),
      ...extraArgs,
    ],
    stdin: invocation.prompt,
    env: withoutSessionMarkers(readOnly ? { ...env, ...installation.env, ...readOnlyEnv } : env),
  }
}

/** Options that yoke stands on: given twice, the last one would win without a word. */
const reserved = new Map([
  ['-p', 'yoke always runs the agent in print mode'],
  ['--print', 'yoke always runs the agent in print mode'],
  ['--output-format', 'yoke reads the event stream'],
  ['--input-format', 'yoke hands the prompt over as text'],
  ['-c', 'yoke chooses the session'],
  ['--continue', 'yoke chooses the session'],
  ['-r', 'yoke chooses the session'],
  ['--resume', 'yoke chooses the session'],
  ['--session-id', 'yoke chooses the session'],
  ['--fork-session', 'yoke chooses the session'],
  ['--no-session-persistence', 'the next iteration resumes the session'],
  ['--model', 'the directive `model` sets it'],
  ['--permission-mode', 'the directive `permission-mode` sets it'],
  ['--bg', 'yoke waits for the agent'],
  ['--background', 'yoke waits for the agent'],
])
