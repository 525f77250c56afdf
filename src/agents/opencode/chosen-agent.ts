import type { Rules } from './permissions.ts'

type Config = Readonly<Record<string, unknown>>

/** One of OpenCode's own agents, and the permission rules that the user gave it. */
export type ChosenAgent = { readonly name: string; readonly rules: Rules }

/**
 * The agent that OpenCode takes by a configuration: the one of the command line, that of `default_agent`, else the first that may
 * lead a session (1.18.33).
 */
export const chosenAgent = (config: Config, extraArgs: readonly string[]): ChosenAgent => {
  const agents = objectIn(config['agent'])
  const preferred = config['default_agent']
  const name =
    agentIn(extraArgs) ??
    (typeof preferred === 'string' && preferred !== ''
      ? preferred
      : (['build', 'plan', ...Object.keys(agents)].find((each) => mayLead(objectIn(agents[each]))) ??
        'build'))
  return { name, rules: rulesIn(objectIn(agents[name])['permission']) }
}

/** The agent that the user chose among OpenCode's. */
const agentIn = (extraArgs: readonly string[]): string | undefined => {
  const at = extraArgs.findIndex((argument) => argument === '--agent' || argument.startsWith('--agent='))
  const argument = extraArgs[at]
  return argument?.includes('=') ? argument.slice('--agent='.length) : extraArgs[at + 1 || extraArgs.length]
}

const mayLead = ({ disable, hidden, mode }: Config): boolean =>
  disable !== true && hidden !== true && mode !== 'subagent'

/** Rules to which others are added: those that stay have the same say. A word for a tool is one for all that it does. */
export const withRules = (own: Rules, added: Rules): Rules => ({
  ...own,
  ...Object.fromEntries(
    Object.entries(added).map(([tool, patterns]) => [
      tool,
      { ...patternsIn(own[tool]), ...patternsIn(patterns) },
    ]),
  ),
})

const patternsIn = (rule: Rules[string] | undefined): Readonly<Record<string, string>> =>
  typeof rule === 'string' ? { '*': rule } : (rule ?? {})

const rulesIn = (permission: unknown): Rules =>
  typeof permission === 'string' ? { '*': permission } : (objectIn(permission) as Rules)

export const objectIn = (value: unknown): Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Config) : {}
