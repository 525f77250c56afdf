import * as v from 'valibot'
import { YokeError } from '../../errors.ts'
import { configLayers } from '../../task/load.ts'
import { resolveDirectives } from '../../task/resolve.ts'
import { check, fail, ok } from '../check.ts'

/** Whether the configuration of the user and of the project can be read. */
export const config = check({
  id: 'config',
  facts: v.strictObject({ files: v.array(v.string()), problem: v.nullable(v.string()), fix: v.string() }),
  gather: async ({ project, env }) => {
    try {
      const layers = await configLayers(project, env)
      resolveDirectives(layers)
      return [{ files: layers.map(({ where }) => where), problem: null, fix: '' }]
    } catch (error) {
      if (!(error instanceof YokeError)) throw error
      return [{ files: [], problem: error.message, fix: error.fix }]
    }
  },
  judge: ({ files, problem, fix }) => {
    if (problem !== null) return fail(problem, fix)
    return ok(
      files.length === 0
        ? 'There is no config file; the defaults hold.'
        : `${files.join(' and ')} can be read.`,
    )
  },
})
