import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { loopFolder } from '../../run/folder.ts'
import { listLeftovers } from '../../sandbox/leftovers.ts'
import { check, ok, warn } from '../check.ts'

/** Containers that a dead yoke left in this project, and who owns the agent's home there. */
export const leftovers = check({
  id: 'leftovers',
  facts: v.strictObject({
    containers: v.array(v.string()),
    /** Of `.loop/agent-home`; null when it is not there. */
    owner: v.nullable(v.number()),
    user: v.number(),
  }),
  gather: async ({ project, engine: asked, env }) => {
    const engine = await asked.catch(() => undefined)
    const home = join(loopFolder(project).root, 'agent-home')
    const owner = await stat(home).then(
      ({ uid }) => uid,
      () => null,
    )
    if (engine === undefined && owner === null) return []
    const containers = engine === undefined ? [] : await listLeftovers(engine, env, project)
    return [{ containers: containers.map(({ name }) => name), owner, user: userInfo().uid }]
  },
  judge: ({ containers, owner, user }) => {
    if (owner !== null && owner !== user && user !== 0)
      return warn(
        `\`.loop/agent-home\` belongs to user ${owner}, not to you: the agent in a container could store no session.`,
        `Give it to yourself: sudo chown -R ${user} .loop/agent-home`,
      )
    return containers.length === 0
      ? ok('No container of a dead yoke is left in this project.')
      : warn(
          `${containers.length} containers of this project are left: ${containers.join(', ')}.`,
          'The next run with `image` removes them, unless a run uses them now.',
        )
  },
})
