import * as v from 'valibot'
import { slug as slugOf } from '../../agents/claude/slug.ts'
import { area } from '../area.ts'

/** The name of the folder that holds a project's sessions (§7.2). */
export const slug = area(
  v.strictObject({
    /** The real path of the project. */
    path: v.string(),
  }),
  v.strictObject({ slug: v.string() }),
  ({ path }) => ({ slug: slugOf(path) }),
)
