import * as v from 'valibot'
import { grantsOf } from '../../task/grants.ts'
import { loadTask } from '../../task/load.ts'
import { area } from '../area.ts'
import { inPlace } from '../place.ts'

/** What a project asks for that its user has to agree to (§8.4). */
export const trust = area(
  v.strictObject({
    /** The text of `task.md`. */
    task: v.string(),
    flags: v.exactOptional(v.record(v.string(), v.unknown()), {}),
    /** The text of the project's `.loop/config.yaml`. */
    config: v.exactOptional(v.string(), ''),
    /** The text of the user's `config.yaml`. */
    userConfig: v.exactOptional(v.string(), ''),
  }),
  v.strictObject({
    /** The directives in question, in the order of their names. */
    asks: v.array(v.string()),
  }),
  ({ task, flags, config, userConfig }) =>
    inPlace(async ({ folder, project, write }) => {
      await write('p/task.md', task)
      await write('p/.loop/config.yaml', config)
      await write('.config/yoke/config.yaml', userConfig)
      const env = { HOME: folder, XDG_CONFIG_HOME: `${folder}/.config` }
      const loaded = await loadTask({ file: 'task.md', cwd: project, flags, env })
      return {
        asks: grantsOf(loaded)
          .map(({ key }) => key)
          .sort(),
      }
    }),
)
