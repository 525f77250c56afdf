import * as v from 'valibot'
import { agentByName } from '../../agents/registry.ts'
import { YokeError } from '../../errors.ts'
import { loopFolder } from '../../run/folder.ts'
import type { Engine } from '../../sandbox/engine.ts'
import { requireImage } from '../../sandbox/image.ts'
import { requireSandbox } from '../../sandbox/sandbox.ts'
import { check, fail, type Look, ok, skip } from '../check.ts'
import { wantedAgents } from './agent.ts'

/** The container engine, and, when an image is named, whether the agents of all roles start in it. */
export const engine = check({
  id: 'containers',
  facts: v.strictObject({
    engine: v.nullable(
      v.strictObject({
        name: v.string(),
        version: v.string(),
        rootless: v.boolean(),
        remapped: v.boolean(),
      }),
    ),
    image: v.nullable(v.string()),
    /** What was started in the image, as it names itself. */
    agent: v.exactOptional(v.string()),
    problem: v.nullable(v.strictObject({ code: v.string(), what: v.string(), fix: v.string() })),
  }),
  gather: async (look) => {
    const { image = null } = look
    try {
      const { engine, started } = await lookAt(look)
      const { name, version, rootless, remapped } = engine
      return [
        {
          engine: { name, version, rootless, remapped },
          image,
          ...(started.length === 0 ? {} : { agent: started.join(' and ') }),
          problem: null,
        },
      ]
    } catch (error) {
      if (!(error instanceof YokeError)) throw error
      return [{ engine: null, image, problem: { code: error.code, what: error.message, fix: error.fix } }]
    }
  },
  judge: ({ engine: found, image, agent, problem }) => {
    if (problem !== null && image === null)
      return skip(
        problem.code === 'E_NO_ENGINE'
          ? 'No container engine is installed; none is asked for.'
          : problem.what,
      )
    if (problem !== null) return fail(problem.what, problem.fix)
    if (found === null) return skip('No container engine was looked for.')
    const kind = [...(found.rootless ? ['rootless'] : []), ...(found.remapped ? ['with remapped users'] : [])]
    const words = [found.name, found.version, ...kind].join(' ')
    if (image === null) return ok(`${words}.`)
    const started = agent === undefined ? '' : `, in which ${agent} can be started`
    return ok(`${words}, with the image ${image}${started}.`)
  },
})

type Seen = { readonly engine: Engine; readonly started: readonly string[] }

/** What the user named is started, without a key of theirs; an image that only the project names is looked for. Nothing is pulled. */
const lookAt = async (look: Look): Promise<Seen> => {
  const { image, mayStart, env } = look
  if (image !== undefined && mayStart) return startIn(image, look)
  const engine = await look.engine
  if (image !== undefined) await requireImage(engine, image, 'never', env)
  return { engine, started: [] }
}

const startIn = async (image: string, look: Look): Promise<Seen> => {
  const { project, ownDirectives, env } = look
  const directives = { ...ownDirectives, image, pull: 'never' as const, env: [] }
  const request = { image, project, loop: loopFolder(project).root, directives, env }
  const start = async (name: string) => {
    const { engine, agentVersion } = await requireSandbox(agentByName(name), request)
    return { engine, started: `${name} ${agentVersion}` }
  }
  const first = await start(look.wanted)
  const others: string[] = []
  for (const name of wantedAgents(look)) if (name !== look.wanted) others.push((await start(name)).started)
  return { engine: first.engine, started: [first.started, ...others] }
}
