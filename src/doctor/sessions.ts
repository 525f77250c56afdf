import { type StoredSession, storedSessions as sessionsOf } from '../agents/claude/session-file.ts'
import type { Look } from './check.ts'

/** The sessions of Claude Code in the folder of this project, the newest first. */
export const storedSessions = ({ project, env }: Look): Promise<readonly StoredSession[]> =>
  sessionsOf(project, env)

/** So many sessions are looked into, of those below this size: a doctor is asked while one waits. */
export const newest = (sessions: readonly StoredSession[]): readonly StoredSession[] =>
  sessions.filter(({ bytes }) => bytes < 256 * 1024 * 1024).slice(0, 3)
