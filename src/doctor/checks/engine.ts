import * as v from 'valibot'
import { agentByName } from '../../agents/registry.ts'
import { YokeError } from '../../errors.ts'
import { loopFolder } from '../../run/folder.ts'
import type { Engine } from '../../sandbox/engine.ts'
import { requireImage } from '../../sandbox/image.ts'
import { requireSandbox } from '../../sandbox/sandbox.ts'
import { check, fail, type Look, ok, skip } from '../check.ts'

/** The container engine, and, when an image is named, whether the agent starts in it. */
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
      const { engine, agentVersion } = await lookAt(look)
      const { name, version, rootless, remapped } = engine
      return [
        {
          engine: { name, version, rootless, remapped },
          image,
          ...(agentVersion === undefined ? {} : { agent: `${look.wanted} ${agentVersion}` }),
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
    return ok(`${words}, with the image ${image}${agent === undefined ? '' : `, in which ${agent} starts`}.`)
  },
})

/** What the user named is started, without a key of theirs; an image that only the project names is looked for. Nothing is pulled. */
const lookAt = async ({
  image,
  mayStart,
  project,
  engine: asked,
  ownDirectives,
  env,
  wanted,
}: Look): Promise<{ readonly engine: Engine; readonly agentVersion?: string }> => {
  if (image !== undefined && mayStart)
    return requireSandbox(agentByName(wanted), {
      image,
      project,
      loop: loopFolder(project).root,
      directives: { ...ownDirectives, image, pull: 'never', env: [] },
      env,
    })
  const engine = await asked
  if (image !== undefined) await requireImage(engine, image, 'never', env)
  return { engine }
}
