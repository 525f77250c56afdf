import { realpath } from 'node:fs/promises'
import * as v from 'valibot'
import { foldersIn } from '../../agents/claude/locate.ts'
import { sessionFolder } from '../../agents/claude/session-file.ts'
import { check, ok, warn } from '../check.ts'
import { newest, storedSessions } from '../sessions.ts'

/** The folder of this project's sessions, and whether the records in it name this project. */
export const sessions = check({
  id: 'sessions',
  facts: v.strictObject({
    folder: v.string(),
    count: v.number(),
    /** Working folders in the newest sessions that are not this project. */
    foreign: v.array(v.string()),
  }),
  gather: async (look) => {
    if (!look.agents.some(({ agent, file }) => agent.name === 'claude' && file !== undefined)) return []
    const all = await storedSessions(look)
    const here = await realpath(look.project)
    const cwds = (await Promise.all(newest(all).map(({ file }) => foldersIn(file)))).flat()
    return [
      {
        folder: sessionFolder(look.project, look.env),
        count: all.length,
        foreign: [...new Set(cwds)].filter((cwd) => cwd !== here && !cwd.startsWith(`${here}/`)),
      },
    ]
  },
  judge: ({ folder, count, foreign }) => {
    if (count === 0) return ok(`No session of this project yet; they will be in ${folder}.`)
    if (foreign.length === 0) return ok(`${count} sessions of this project in ${folder}.`)
    return warn(
      `${folder} also holds sessions of ${foreign.join(', ')}: the project was moved, or two paths share the folder.`,
      'Name sessions by their file or id; yoke looks at the folder that their records name.',
    )
  },
})
