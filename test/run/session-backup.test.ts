import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configFolder } from '../../src/agents/claude/session-file.ts'
import { backupFile, newestBackup, trimmedSessions } from '../../src/run/session-backup.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

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

  it('of a session of OpenCode is found by the id that it has after the trim, too', async () => {
    const project = await temporaryFolder()
    const backups = join(project, '.loop/runs/20261203-054701-03bb/backups')
    await mkdir(backups, { recursive: true })
    await writeFile(join(backups, 'ses_old.bak'), '{}')
    await writeFile(join(backups, 'ses_new.origin'), 'ses_old')
    await writeFile(join(backups, 'ses_torn.origin'), '../../x')
    const trimmed = (named: string) => trimmedSessions(named, project, { HOME: project })
    for (const named of ['ses_new', 'ses_old', 'ses_n', 'ses_o'])
      expect(await trimmed(named)).toEqual(['ses_old'])
    expect(await trimmed('ses_')).toEqual(['ses_old', 'ses_torn'])
    expect(await trimmed('ses_x')).toEqual([])
    expect(await newestBackup('ses_old', project, { HOME: project })).toBe(join(backups, 'ses_old.bak'))
  })

  it('of a trim by hand is found so from every folder', async () => {
    const env = { HOME: await temporaryFolder() }
    const backup = backupFile('ses_1old', env)
    await mkdir(dirname(backup), { recursive: true })
    await writeFile(backup, '{}')
    await writeFile(backup.replace('ses_1old.bak', 'ses_1new.origin'), 'ses_1old')
    expect(await trimmedSessions('ses_1', '/', env)).toEqual(['ses_1old'])
    expect(await trimmedSessions('ses_1new', '/', env)).toEqual(['ses_1old'])
    expect(await newestBackup('ses_1old', '/', env)).toBe(backup)
  })
})
