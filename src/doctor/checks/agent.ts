import * as v from 'valibot'
import { agentByName } from '../../agents/registry.ts'
import { check, fail, type Look, ok, skip } from '../check.ts'

const wantedAgents = (directives: Look['directives']): readonly (string | undefined)[] =>
  directives === undefined
    ? ['claude']
    : [directives.agent, directives['judge-agent'], directives['scoper-agent']]

/** Which agents are installed; those that the configuration names must be. */
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
  gather: async ({ agents, directives, image }) =>
    agents.map(({ agent: { name }, file, version }) => ({
      agent: name,
      path: file ?? null,
      version: version ?? null,
      wanted: image === undefined && wantedAgents(directives).includes(name),
      others: agents.some((each) => each.agent.name !== name && each.file !== undefined),
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
