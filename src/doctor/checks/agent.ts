import * as v from 'valibot'
import { agentByName } from '../../agents/registry.ts'
import { check, fail, type Look, ok, skip } from '../check.ts'

/** The agent that is asked for, and those that the configuration names for other roles. */
export const wantedAgents = ({ wanted, directives }: Look): ReadonlySet<string> =>
  new Set([wanted, directives?.['judge-agent'] ?? wanted, directives?.['scoper-agent'] ?? wanted])

/** Which agents are installed; the one that is asked for and those that the configuration names for other roles must be. */
export const agent = check({
  id: 'agent',
  facts: v.strictObject({
    agent: v.string(),
    path: v.nullable(v.string()),
    version: v.nullable(v.string()),
    /** The configuration asks for it. */
    wanted: v.boolean(),
    /** Another one is installed. */
    others: v.boolean(),
  }),
  gather: async (look) =>
    look.agents.map(({ agent: { name }, file, version }) => ({
      agent: name,
      path: file ?? null,
      version: version ?? null,
      wanted: look.image === undefined && wantedAgents(look).has(name),
      others: look.agents.some((each) => each.agent.name !== name && each.file !== undefined),
    })),
  judge: ({ agent: name, path, version, wanted, others }) => {
    if (path !== null)
      return version === null
        ? fail(`${name} at ${path} does not say its version.`, `Run \`${path} --version\` and see why.`)
        : ok(`${name} ${version} at ${path}.`)
    if (!wanted) return skip(`${name} is not installed.`)
    const install = `Install it: ${agentByName(name).install}`
    return fail(
      `${name} is not on PATH.`,
      others ? `${install}; or set \`agent\` to the one that is.` : install,
    )
  },
})
