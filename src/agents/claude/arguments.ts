import { exitCode, YokeError } from '../../errors.ts'
import type { CommandLine, Invocation, OwnSettings, SessionUse } from '../agent.ts'
import { withoutSessionMarkers } from './environment.ts'

/** The command line of one start of Claude Code in print mode. Throws `E_AGENT_ARGS` when `extraArgs` contradict it. */
export const commandLine = (
  file: string,
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
  own: OwnSettings = { env: {}, settings: {} },
): CommandLine => {
  const {
    prompt,
    session,
    access,
    answer,
    model,
    permissionMode,
    allowedTools = [],
    extraArgs = [],
  } = invocation
  refuseReserved(extraArgs)
  return {
    file,
    args: [
      ...['--print', '--output-format', 'stream-json', '--verbose'],
      ...(model === undefined ? [] : ['--model', model]),
      ...sessionArguments(session),
      ...(answer === undefined ? [] : ['--json-schema', JSON.stringify(answer)]),
      ...(access === 'read-only'
        ? [...readOnly, ...settingsArguments(own)]
        : [
            ...(permissionMode === undefined ? [] : ['--permission-mode', permissionMode]),
            ...(allowedTools.length === 0 ? [] : ['--allowedTools', ...allowedTools]),
          ]),
      ...extraArgs,
    ],
    stdin: prompt,
    env: withoutSessionMarkers(access === 'read-only' ? { ...env, ...own.env, ...readOnlyEnv } : env),
  }
}

/**
 * `--resume ID`, never `--continue`: that takes the newest session of the folder, which may be someone else's
 * (frankbria/ralph-claude-code#151).
 */
const sessionArguments = (session: SessionUse): readonly string[] => {
  switch (session.kind) {
    case 'new':
      return []
    case 'resume':
      return ['--resume', session.id]
    case 'ephemeral':
      return ['--no-session-persistence']
  }
}

/**
 * Reads, searches, and runs the commands that the CLI itself knows to change nothing (`git diff`, `ls`, `cat`, ...). With
 * `dontAsk` all else is denied. No settings of the user or the project are read: their permission rules would allow more, their
 * hooks would run, and their memory files would tell the judge of other tasks (obra/double-shot-latte#24); the worker can
 * write the project's. Measured on 2.1.332.
 */
const readOnly = [
  ...['--permission-mode', 'dontAsk'],
  ...['--tools', 'Read,Grep,Glob,Bash'],
  ...['--setting-sources', ''],
  '--strict-mcp-config',
] as const

const settingsArguments = ({ settings }: OwnSettings): readonly string[] =>
  Object.keys(settings).length === 0 ? [] : ['--settings', JSON.stringify(settings)]

/** The agent's own memory of the project is written by the worker and read even without settings. */
const readOnlyEnv = { CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' } as const

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

const refuseReserved = (extraArgs: readonly string[]): void => {
  for (const argument of extraArgs) {
    const option = argument.split('=', 1)[0] ?? argument
    const reason = reserved.get(option)
    if (reason !== undefined)
      throw new YokeError(
        'E_AGENT_ARGS',
        `\`agent-args\` may not hold \`${option}\`: ${reason}.`,
        `Take \`${option}\` out of \`agent-args\`.`,
        exitCode.usage,
      )
  }
}
