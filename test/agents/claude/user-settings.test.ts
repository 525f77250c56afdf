import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inspect } from '../../../src/agents/claude/inspect.ts'
import { userSettings } from '../../../src/agents/claude/user-settings.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const read = async (text: string) => {
  const CLAUDE_CONFIG_DIR = await temporaryFolder()
  await writeFile(join(CLAUDE_CONFIG_DIR, 'settings.json'), text)
  return userSettings({ CLAUDE_CONFIG_DIR })
}

const none = { env: {}, settings: {} }

describe("the user's settings for a role that reads none", () => {
  it('are the way to the provider, the model and the time that sessions are kept, and no rights, hooks or words', async () => {
    const settings = { apiKeyHelper: 'get-key', model: 'opus', cleanupPeriodDays: 365 }
    const others = { permissions: { allow: ['Bash'] }, hooks: {}, outputStyle: 'pirate' }
    expect(await read(JSON.stringify({ ...settings, ...others, env: { AWS_PROFILE: 'work' } }))).toEqual({
      env: { AWS_PROFILE: 'work' },
      settings,
    })
  })

  it.each(['', '{', '[]', 'null', '{"env":{"A":1}}'])('are none in a damaged file: %s', async (text) => {
    expect(await read(text)).toEqual(none)
  })

  it('are none in a home that the worker can write to', async () => {
    const CLAUDE_CONFIG_DIR = await temporaryFolder()
    await writeFile(join(CLAUDE_CONFIG_DIR, 'settings.json'), '{"apiKeyHelper":"evil"}')
    const session = { kind: 'ephemeral' } as const
    const judge = { role: 'judge', prompt: '', cwd: '/', session, access: 'read-only' } as const
    const look = (home: 'of-user' | 'of-project') =>
      inspect(join(CLAUDE_CONFIG_DIR, 'none'), { CLAUDE_CONFIG_DIR }, (command) => command, home, judge)
    expect(await look('of-user')).toMatchObject({ settings: { apiKeyHelper: 'evil' } })
    expect(await look('of-project')).toEqual(none)
    const worker = { ...judge, access: 'edit' } as const
    // A start that does not depend on it asks for nothing.
    expect(await inspect('none', { CLAUDE_CONFIG_DIR }, (command) => command, 'of-user', worker)).toEqual(
      none,
    )
  })

  it('are none without a file', async () => {
    expect(await userSettings({ CLAUDE_CONFIG_DIR: '/nonexistent' })).toEqual(none)
  })
})
