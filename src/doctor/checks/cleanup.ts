import * as v from 'valibot'
import { userSettings } from '../../agents/claude/user-settings.ts'
import { check, ok, warn } from '../check.ts'
import { storedSessions } from '../sessions.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Days until Claude Code sweeps sessions of this project away; 30 when its settings say nothing. */
export const cleanup = check({
  id: 'cleanup',
  facts: v.strictObject({
    periodDays: v.number(),
    /** Since the newest session was written to; null without sessions. */
    newestAgeDays: v.nullable(v.number()),
  }),
  gather: async (look) => {
    if (!look.agents.some(({ agent, file }) => agent.name === 'claude' && file !== undefined)) return []
    const { settings } = await userSettings(look.env)
    const period = settings?.['cleanupPeriodDays']
    const [last] = await storedSessions(look)
    return [
      {
        periodDays: typeof period === 'number' ? period : 30,
        newestAgeDays: last === undefined ? null : Math.max(0, (look.now - last.changedAt) / dayMs),
      },
    ]
  },
  judge: ({ periodDays, newestAgeDays }) => {
    const longer = 'Set `cleanupPeriodDays` in the settings of Claude Code to more days.'
    if (periodDays < 1)
      return warn('Claude Code is told to keep no sessions: nothing can be resumed.', longer)
    if (newestAgeDays === null) return ok(`Claude Code keeps sessions for ${periodDays} days.`)
    const left = Math.floor(periodDays - newestAgeDays)
    return left < 3
      ? warn(`Claude Code deletes the newest session of this project in ${Math.max(0, left)} days.`, longer)
      : ok(`Claude Code keeps the newest session of this project for ${left} more days.`)
  },
})
