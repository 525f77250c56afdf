import { join } from 'node:path'
import { cacheFolder } from '../../probe/pinned-cli.ts'
import type { Installation } from '../agent.ts'
import type { Rules } from './permissions.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * For a role that reads, searches and runs what only looks, and leaves nothing behind: its session is in memory alone, all other tools are
 * not even offered (1.18.33). No instructions, agents, plugins or rules of the project are read: the worker can write them. Of the
 * user's own only what `inspect` found is handed on.
 */
export const readOnlyEnv = (env: Env, { settings }: Installation): Env => ({
  OPENCODE_DB: ':memory:',
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_CLAUDE_CODE: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
  OPENCODE_CONFIG: undefined,
  // Also an empty one counts: as the folder that the role works in.
  OPENCODE_CONFIG_DIR: undefined,
  // Holds the user's instructions, agents and commands: the role gets an empty one.
  XDG_CONFIG_HOME: join(cacheFolder(env), 'opencode-read-only'),
  OPENCODE_CONFIG_CONTENT: JSON.stringify({
    ...settings,
    snapshot: false,
    share: 'disabled',
    autoupdate: false,
    experimental: { continue_loop_on_deny: true },
  }),
  OPENCODE_PERMISSION: JSON.stringify(readOnlyRules),
  GIT_OPTIONAL_LOCKS: '0',
  // `git status` runs the program that the project's git configuration names here.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
})

const each = (commands: readonly string[]): Record<string, string> =>
  Object.fromEntries(commands.flatMap((command) => [command, `${command} *`]).map((rule) => [rule, 'allow']))

const never = (patterns: readonly string[]): Record<string, string> =>
  Object.fromEntries(patterns.map((pattern) => [pattern, 'deny']))

/** The last rule that fits decides. OpenCode tests each command of a line, redirections included, as it is written. */
const readOnlyRules: Rules = {
  '*': 'deny',
  read: 'allow',
  grep: 'allow',
  glob: 'allow',
  list: 'allow',
  bash: {
    '*': 'deny',
    ...each(['git status', 'git diff', 'git log', 'git show', 'git blame', 'git ls-files', 'git rev-parse']),
    // `--output` writes a file; git takes it in a shortened form, and the shell in pieces.
    ...never(['*--ou*', '*"*', "*'*", '*\\*', '*$*', '*{*']),
    ...each(['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'stat', 'pwd', 'diff', 'cmp']),
    ...never(['*>*', '*<(*', '*$(*', '*`*']),
  },
}
