import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  configFolder,
  findSession,
  lostBeginning,
  projectsFolder,
  registryFolder,
  sessionFolder,
} from '../../../src/agents/claude/session-file.ts'
import { slug } from '../../../src/agents/claude/slug.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const id = '11111111-1111-4111-8111-111111111111'

const home = async () => {
  const HOME = await temporaryFolder()
  const project = join(HOME, 'project')
  await mkdir(project)
  return { env: { HOME }, project }
}

const put = async (file: string, changed = new Date()) => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '{}\n')
  await utimes(file, changed, changed)
  return file
}

describe('the config folder', () => {
  it('is ~/.claude, or where CLAUDE_CONFIG_DIR says, in composed characters (openclaw/openclaw#147745, entireio/cli#2367)', () => {
    expect(configFolder({ HOME: '/h' })).toBe('/h/.claude')
    expect(configFolder({ HOME: '/h', CLAUDE_CONFIG_DIR: '' })).toBe('/h/.claude')
    expect(configFolder({ HOME: '/h', CLAUDE_CONFIG_DIR: '/gro\u0308ße' })).toBe('/größe')
    expect(registryFolder({ HOME: '/h' })).toBe('/h/.claude/sessions')
  })
})

describe('the session folder of a project', () => {
  it('goes by the real path (#59393, #51488, #46342, #24271)', async () => {
    const { env, project } = await home()
    const link = join(env.HOME, 'link')
    await symlink(project, link)
    expect(sessionFolder(link, env)).toBe(join(env.HOME, '.claude', 'projects', slug(project)))
  })

  it('has the name that CLAUDE_CODE_PROJECT_DIR_NAME gives', async () => {
    expect(sessionFolder('/p', { HOME: '/h', CLAUDE_CODE_PROJECT_DIR_NAME: 'mine' })).toBe(
      '/h/.claude/projects/mine',
    )
  })
})

describe('the beginning of a session file', () => {
  const opening = '# How you work'
  const prompt = { type: 'user', message: { role: 'user', content: `${opening}\n\nDo it.` } }
  const blocks = { type: 'user', message: { role: 'user', content: [{ type: 'text', text: opening }] } }
  const answer = { type: 'assistant', message: { role: 'assistant', content: [] } }
  // Names the prompt, and is none.
  const last = { type: 'last-prompt', lastPrompt: prompt.message.content }
  const long = { type: 'user', message: { role: 'user', content: `${opening}\n${'x'.repeat(100_000)}` } }
  const lost = async (...records: readonly object[]) => {
    const { env, project } = await home()
    const file = join(sessionFolder(project, env), `${id}.jsonl`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    return (await lostBeginning(id, project, env, opening))?.replace(file, 'FILE')
  }

  it('is there in a session that is whole', async () => {
    for (const first of [prompt, blocks, long]) expect(await lost(last, first, answer)).toBeUndefined()
  })

  it('is missed where the prompt is gone', async () => {
    expect(await lost(last, answer)).toBe('The session file FILE has lost the prompt that it began with')
  })

  it('is left to the CLI in a file without a conversation, and in none', async () => {
    expect(await lost(last)).toBeUndefined()
    expect(await lost()).toBeUndefined()
    const { env, project } = await home()
    expect(await lostBeginning(id, project, env, opening)).toBeUndefined()
  })

  it('is not asked for in what could hold a longer prompt', async () => {
    expect(await lost(answer, { type: 'x', text: 'x'.repeat(1 << 20) })).toBeUndefined()
  })
})

describe('a session file', () => {
  it('is found in the folder of the project', async () => {
    const { env, project } = await home()
    const file = await put(join(sessionFolder(project, env), `${id}.jsonl`))
    await put(join(projectsFolder(env), 'elsewhere', `${id}.jsonl`), new Date(Date.now() + 60_000))
    expect(await findSession(id, project, env)).toBe(file)
  })

  it('is found in another folder, the newest first, when the project was moved (#33912, #59393, #90588: another path, or the same in another case)', async () => {
    const { env, project } = await home()
    await put(join(projectsFolder(env), 'a', `${id}.jsonl`), new Date(1000))
    const newest = await put(join(projectsFolder(env), 'b', `${id}.jsonl`), new Date(3000))
    await put(join(projectsFolder(env), 'c', `${id}.jsonl`), new Date(2000))
    expect(await findSession(id, project, env)).toBe(newest)
  })

  it('is found for a project that is gone (#57920)', async () => {
    const { env } = await home()
    const file = await put(join(projectsFolder(env), 'a', `${id}.jsonl`))
    expect(await findSession(id, '/gone', env)).toBe(file)
  })

  it('is not found when there is none, or a folder of that name', async () => {
    const { env, project } = await home()
    expect(await findSession(id, project, env)).toBeUndefined()
    await mkdir(join(sessionFolder(project, env), `${id}.jsonl`), { recursive: true })
    expect(await findSession(id, project, env)).toBeUndefined()
  })

  it.each(['../../secret', 'a/b', '', '*'])('is not looked for by %j, which is no id', async (bad) => {
    const { env, project } = await home()
    await put(join(env.HOME, '.claude', 'secret.jsonl'))
    expect(await findSession(bad, project, env)).toBeUndefined()
  })
})
