import { relative } from 'node:path'
import * as v from 'valibot'
import { findSession } from '../../agents/claude/session-file.ts'
import { area } from '../area.ts'
import { inPlace } from '../place.ts'

/** Which session file belongs to an id (§7.1). */
export const find = area(
  v.strictObject({
    /** A folder that does not exist, so that no symbolic link changes its path. */
    path: v.string(),
    id: v.string(),
    /** The session files that there are, by their path in the config folder, with the time of their last change. */
    files: v.record(v.string(), v.pipe(v.string(), v.isoTimestamp())),
  }),
  v.strictObject({
    /** In the config folder; null: there is none. */
    found: v.nullable(v.string()),
  }),
  ({ path, id, files }) =>
    inPlace(async ({ folder, write }) => {
      for (const [file, changed] of Object.entries(files)) await write(file, '{}\n', new Date(changed))
      const found = await findSession(id, path, { CLAUDE_CONFIG_DIR: folder })
      return { found: found === undefined ? null : relative(folder, found) }
    }),
)
