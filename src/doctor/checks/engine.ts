import * as v from 'valibot'
import { YokeError } from '../../errors.ts'
import { findEngine } from '../../sandbox/engine.ts'
import { requireImage } from '../../sandbox/image.ts'
import { check, fail, ok, skip } from '../check.ts'

/** The container engine, and the image when one is named. */
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
    problem: v.nullable(v.strictObject({ code: v.string(), what: v.string(), fix: v.string() })),
  }),
  gather: async ({ image = null, directives, env }) => {
    try {
      const found = await findEngine(directives?.engine, env)
      if (image !== null) await requireImage(found, image, 'never', env)
      const { name, version, rootless, remapped } = found
      return [{ engine: { name, version, rootless, remapped }, image, problem: null }]
    } catch (error) {
      if (!(error instanceof YokeError)) throw error
      return [{ engine: null, image, problem: { code: error.code, what: error.message, fix: error.fix } }]
    }
  },
  judge: ({ engine: found, image, problem }) => {
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
    return ok(image === null ? `${words}.` : `${words}, with the image ${image}.`)
  },
})
