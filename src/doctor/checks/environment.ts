import * as v from 'valibot'
import { check, ok, warn } from '../check.ts'

/** Variables that change what yoke and its agents do with sessions, and how. */
const known: Readonly<Record<string, string>> = {
  CLAUDE_CODE_SKIP_PROMPT_HISTORY: 'Claude Code stores no session, so that none can be resumed',
  CLAUDE_CODE_PROJECT_DIR_NAME: 'Claude Code puts sessions of all projects into one folder',
  YOKE_DISABLE_SESSION_TRIM: 'yoke trims no session',
}

/** Variables of the environment that stop sessions from being stored or trimmed. Values are not shown. */
export const environment = check({
  id: 'environment',
  facts: v.strictObject({ set: v.array(v.string()) }),
  gather: async ({ env }) => [{ set: Object.keys(known).filter((name) => env[name]) }],
  judge: ({ set }) =>
    set.length === 0
      ? ok('No variable stops sessions from being stored or trimmed.')
      : warn(
          `${set.map((name) => `${name} is set: ${known[name] ?? 'it changes what is stored'}`).join('; ')}.`,
          `Unset ${set.join(' and ')}, unless you want that.`,
        ),
})
