import type { Installation } from '../agent.ts'

/**
 * Reads, searches, and runs the commands that the CLI itself knows to change nothing (`git diff`, `ls`, `cat`, ...). With
 * `dontAsk`, or in older releases by default in print mode, all else is denied. No settings of the user or the project
 * are read: their permission rules would allow more, their hooks would run, and their memory files would tell the
 * judge of other tasks (obra/double-shot-latte#24); the worker can write the project's. Measured on 1.0.128, 2.0.42, 2.1.20,
 * 2.1.200 and 2.1.332.
 */
export const readOnlyArguments = ({ words, settings }: Installation): readonly string[] => {
  const has = (word: string): boolean => words === undefined || words.has(word)
  return [
    ...(has('dontAsk') ? ['--permission-mode', 'dontAsk'] : []),
    ...(has('--tools') ? ['--tools', 'Read,Grep,Glob,Bash'] : ['--disallowedTools', writingTools.join(',')]),
    ...(has('--setting-sources') ? ['--setting-sources', ''] : []),
    ...(has('--strict-mcp-config') ? ['--strict-mcp-config'] : []),
    ...(Object.keys(settings).length === 0 ? [] : ['--settings', JSON.stringify(settings)]),
  ]
}

/** For releases that cannot be given a list of tools (before 2.0.42). */
const writingTools = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Task', 'WebFetch', 'WebSearch']

/**
 * The agent's own memory of the project is written by the worker and read even without settings. `core.fsmonitor` in the
 * project's git configuration, which the worker can write, names a program that `git status` runs.
 */
export const readOnlyEnv = {
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
} as const
