import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sessionFolder } from '../agents/claude/session-file.ts'
import type { Look } from './check.ts'

export type StoredSession = {
  readonly file: string
  readonly id: string
  readonly changedAt: number
  readonly bytes: number
}

/** The sessions of Claude Code in the folder of this project, the newest first. */
export const storedSessions = async ({ project, env }: Look): Promise<readonly StoredSession[]> => {
  const folder = sessionFolder(project, env)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl'))
  const found = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name)
      const { mtimeMs, size } = await stat(file)
      return { file, id: name.slice(0, -'.jsonl'.length), changedAt: mtimeMs, bytes: size }
    }),
  )
  return found.sort((a, b) => b.changedAt - a.changedAt)
}

/** So many sessions are looked into, of those below this size: a doctor is asked while one waits. */
export const newest = (sessions: readonly StoredSession[]): readonly StoredSession[] =>
  sessions.filter(({ bytes }) => bytes < 256 * 1024 * 1024).slice(0, 3)
