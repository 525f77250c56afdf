import * as v from 'valibot'
import { agentByName } from '../../agents/registry.ts'
import { check, ok, skip, warn } from '../check.ts'

/** Whether each installed agent has a login or a key, by its own word. */
export const login = check({
  id: 'login',
  facts: v.strictObject({ agent: v.string(), loggedIn: v.nullable(v.boolean()) }),
  gather: ({ agents, project, env }) =>
    Promise.all(
      agents.flatMap(({ agent, file }) =>
        file === undefined
          ? []
          : [
              agent
                .isLoggedIn(file, project, env)
                .then((loggedIn) => ({ agent: agent.name, loggedIn: loggedIn ?? null })),
            ],
      ),
    ),
  judge: ({ agent, loggedIn }) => {
    if (loggedIn === null) return skip(`${agent} does not say whether it has a login.`)
    if (loggedIn) return ok(`${agent} has a login or a key.`)
    return warn(
      `${agent} has neither a login nor a key.`,
      `Log in with \`${agentByName(agent).login}\`, or set its key in the environment.`,
    )
  },
})
