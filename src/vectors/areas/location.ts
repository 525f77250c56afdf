import * as v from 'valibot'
import { sessionFolder } from '../../agents/claude/session-file.ts'
import { area } from '../area.ts'

/** Where Claude Code keeps the sessions of a project (§7.1). */
export const location = area(
  v.strictObject({
    /** A folder that does not exist, so that no symbolic link changes its path. */
    path: v.string(),
    env: v.record(v.string(), v.string()),
  }),
  v.strictObject({ folder: v.string() }),
  async ({ path, env }) => ({ folder: sessionFolder(path, env) }),
)
