import { exitCode, YokeError } from '../../errors.ts'

/** OpenCode's permission rules: the last one that fits decides. */
export type Rules = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** Tools that wait for a person. */
const unattended: Rules = { question: 'deny', plan_enter: 'deny', plan_exit: 'deny' }

const modes: Readonly<Record<string, Rules>> = {
  // Edits and commands are allowed by default; what would be asked is refused, and the turn goes on.
  acceptEdits: unattended,
  default: unattended,
  ask: unattended,
  bypassPermissions: { '*': 'allow', ...unattended },
  allow: { '*': 'allow', ...unattended },
}

/** The rules of a permission mode, in the words of either agent. Throws `E_AGENT_ARGS`. */
export const modeRules = (mode: string): Rules => {
  const rules = modes[mode]
  if (rules !== undefined) return rules
  throw new YokeError(
    'E_AGENT_ARGS',
    `OpenCode has no permission mode \`${mode}\`.`,
    `Set \`permission-mode\` to one of: ${Object.keys(modes).join(', ')}.`,
    exitCode.usage,
  )
}

/** Claude Code's names of tools, where OpenCode asks for the permission by another name. */
const permissionNames: Readonly<Record<string, string>> = {
  write: 'edit',
  multiedit: 'edit',
  notebookedit: 'edit',
  agent: 'task',
  ls: 'list',
}

/** Tool rules such as `Read`, `webfetch` or `Bash(npm test:*)` as permission rules. */
export const allowRules = (tools: readonly string[]): Rules => {
  const rules: Record<string, Record<string, string>> = {}
  for (const tool of tools) {
    const { name = tool, pattern = '*' } = toolRule.exec(tool)?.groups ?? {}
    const key = permissionNames[name.toLowerCase()] ?? name.toLowerCase()
    const asOpenCode = pattern.replace(/:\*$/, ' *')
    // A trailing ` *` fits the command without arguments as well (1.18.33), but not in every release.
    const bare = asOpenCode.replace(/ \*$/, '')
    rules[key] = { ...rules[key], [bare]: 'allow', [asOpenCode]: 'allow' }
  }
  return rules
}

const toolRule = /^(?<name>[^(]+)(?:\((?<pattern>[\s\S]*)\))?$/
