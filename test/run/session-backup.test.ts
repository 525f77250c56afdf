import { describe, expect, it } from 'vitest'
import { configFolder } from '../../src/agents/claude/session-file.ts'
import { backupFile } from '../../src/run/session-backup.ts'

describe('the backup of a session', () => {
  it.each([[{}], [{ XDG_STATE_HOME: '/state' }], [{ CLAUDE_CONFIG_DIR: '/c' }]])(
    'lies outside of the folder whose old files the CLI deletes (anthropics/claude-code#85466, #79758, #90866), with %o',
    (more) => {
      const env = { HOME: '/home/me', ...more }
      const file = backupFile('1c6e3f7a', env)
      expect(file.startsWith(`${configFolder(env)}/`)).toBe(false)
      expect(file).toMatch(/\/1c6e3f7a\.bak$/)
    },
  )
})
