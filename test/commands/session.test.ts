import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slug } from '../../src/agents/claude/slug.ts'
import { thisProcess } from '../../src/system/lock-file.ts'
import { processStart } from '../../src/system/process-start.ts'
import { answer, session as conversation, prompt, text } from '../agents/opencode/session.ts'
import { holdProject } from '../helpers/held-project.ts'
import { finishedRun } from '../helpers/session.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke } from '../helpers/yoke.ts'

const id = '1c6e3f7a-1111-4111-8111-111111111111'

/** A home with a project and a session in it: a.txt and b.txt were read. */
const home = async () => {
  const root = await temporaryFolder()
  const project = join(root, 'my project')
  mkdirSync(project)
  const files = { [join(project, 'a.txt')]: 'text of a', [join(project, 'b.txt')]: 'text of b' }
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text)
  const config = join(root, '.claude')
  const put = (folder: string, { cwd = project, session = id, below = config } = {}) => {
    const path = join(below, 'projects', folder, `${session}.jsonl`)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, finishedRun(files, { cwd, id: session }).bytes())
    return path
  }
  const file = put(slug(project))
  const env = { PATH: '/usr/bin:/bin', HOME: root }
  const run = (args: readonly string[], more: Record<string, string> = {}, cwd = project) =>
    yoke(args, { cwd, env: { ...env, ...more } })
  return { root, project, config, file, put, run, text: () => readFileSync(file, 'utf8') }
}

describe('yoke trim', () => {
  it.each([
    ['its id', () => id],
    ['the beginning of its id', () => '1c6e3f7a'],
    ['its file', (file: string) => file],
  ])('finds a session by %s', async (_what, name) => {
    const at = await home()
    const run = await at.run(['trim', name(at.file), '--keep', 'a.txt'])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/tokens a request/)
    expect(at.text()).toContain('text of a')
    expect(at.text()).not.toContain('text of b')
  })

  it('writes nothing in a dry run, and elsewhere with --out', async () => {
    const at = await home()
    const before = at.text()
    const dry = await at.run(['trim', id, '--keep', 'a.txt', '--dry-run', '--json'])
    expect(JSON.parse(dry.stdout)).toMatchObject({
      status: 'planned',
      report: { paths: [{ path: join(at.project, 'a.txt') }] },
    })
    expect(existsSync(join(at.root, '.local'))).toBe(false)
    const out = join(at.root, 'out.jsonl')
    expect(await at.run(['trim', id, '--keep', 'none', '--out', out])).toMatchObject({ code: 0 })
    expect(readFileSync(out, 'utf8')).not.toContain('text of a')
    expect(at.text()).toBe(before)
  })

  it('takes the notes of the project when nothing is named, and refuses without any', async () => {
    const at = await home()
    expect(await at.run(['trim', id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('E_NO_KEEP'),
    })
    mkdirSync(join(at.project, '.loop'))
    writeFileSync(join(at.project, '.loop/notes.md'), 'KEEP: b.txt\n')
    expect(await at.run(['trim', id])).toMatchObject({ code: 0 })
    expect(at.text()).toContain('text of b')
    expect(at.text()).not.toContain('text of a')
  })

  it('is asked for by name, so that YOKE_DISABLE_SESSION_TRIM does not hold it back', async () => {
    const at = await home()
    expect(await at.run(['trim', id, '--keep', 'none'], { YOKE_DISABLE_SESSION_TRIM: '1' })).toMatchObject({
      code: 0,
    })
    expect(at.text()).not.toContain('text of a')
  })

  it('refuses a session that a running CLI holds, and leaves it as it is', async () => {
    const at = await home()
    const before = at.text()
    mkdirSync(join(at.config, 'sessions'))
    const entry = { pid: process.pid, sessionId: id, procStart: processStart(process.pid) }
    writeFileSync(join(at.config, 'sessions', `${process.pid}.json`), JSON.stringify(entry))
    const refused = { code: 1, stderr: expect.stringContaining(`pid ${process.pid}`) }
    expect(await at.run(['trim', id, '--keep', 'none'])).toMatchObject(refused)
    expect(at.text()).toBe(before)
  })

  it('refuses a session in which a run works, with the code of a held project, and may look at it', async () => {
    const at = await home()
    const before = at.text()
    const run = await holdProject(at.project, thisProcess(), [id])
    const trim = ['trim', id, '--keep', 'none']
    const refused = { code: 6, stderr: expect.stringContaining(`The run ${run} of another yoke`) }
    expect(await at.run(trim)).toMatchObject(refused)
    expect(JSON.parse((await at.run([...trim, '--json'])).stdout)).toMatchObject({ code: 'locked' })
    expect(await at.run([...trim, '--dry-run'])).toMatchObject({ code: 0 })
    expect(at.text()).toBe(before)
  })
})

describe('finding a session', () => {
  it('tells projects that share a folder by the cwd in the records (anthropics/claude-code#70076; letters beyond ASCII: #91735, #70674)', async () => {
    const at = await home()
    const other = '1c6e3f7a-2222-4222-8222-222222222222'
    at.put(slug(at.project), { cwd: join(at.root, 'my-project'), session: other })
    const run = await at.run(['inspect', '1c6e3f7a', '--json'])
    expect(JSON.parse(run.stdout)).toMatchObject({ id, cwds: [at.project] })
  })

  it('names every folder that the records name: a session goes on where it began when the project moves (#81603)', async () => {
    const at = await home()
    const moved = join(at.root, 'moved')
    const lines = at.text().split('\n')
    const last = lines.findIndex((line) => line.includes('All done.'))
    writeFileSync(at.file, lines.with(last, (lines[last] ?? '').replace(at.project, moved)).join('\n'))
    const run = await at.run(['inspect', id, '--json'])
    expect(JSON.parse(run.stdout)).toMatchObject({ cwds: [at.project, moved] })
  })

  it('says that a project was renamed (anthropics/claude-code#43202)', async () => {
    const at = await home()
    const run = await at.run(['inspect', id], {}, at.root)
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('the project was moved') })
  })

  it('looks into the folder of the environment and the usual one, and names twins (#16103, #78843)', async () => {
    const at = await home()
    const config = join(at.root, 'elsewhere')
    const twin = at.put('some-folder', { below: config, cwd: '/gone' })
    const run = await at.run(['inspect', id, '--json'], { CLAUDE_CONFIG_DIR: config })
    expect(JSON.parse(run.stdout)).toMatchObject({ file: at.file })
    expect(run.stderr).toContain(twin)
  })

  it.each([
    ['an id that fits none', ['inspect', 'ffffffff'], 'E_NO_SESSION'],
    ['an id that is none', ['trim', '../../etc', '--keep', 'none'], 'E_NO_SESSION'],
    ['a session without a backup', ['restore', id], 'E_NO_BACKUP'],
    ['a wrong word for stale reads', ['trim', id, '--keep', 'none', '--stale-reads', 'x'], 'E_USAGE'],
  ])('refuses %s', async (_what, args, code) => {
    const at = await home()
    expect(await at.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(`[${code}]`) })
  })

  const other = (at: Awaited<ReturnType<typeof home>>, name: string, content: string | Buffer) => {
    const path = join(at.root, name)
    writeFileSync(path, content)
    return path
  }

  it.each([
    ['a program', () => readFileSync(process.execPath).subarray(0, 5_000_000), 'are no records'],
    ['a text', () => 'Do this.\n\nThen that.\n', '2 of its first 3 lines are no records'],
    ['a JSON file', () => '{"a": 1}\n', 'its only line is no record'],
    [
      'a session of another agent',
      () => `${JSON.stringify({ timestamp: '2026-12-01', type: 'session_meta', payload: { id: 'x' } })}\n`,
      'session_meta',
    ],
  ])('refuses %s, and leaves it as it is', async (_what, content, reason) => {
    const at = await home()
    const path = other(at, 'file', content())
    const before = readFileSync(path)
    const refused = { stderr: expect.stringContaining(reason) }
    expect(await at.run(['trim', path, '--keep', 'none'])).toMatchObject({ code: 1, ...refused })
    expect(await at.run(['inspect', path])).toMatchObject({ code: 2, ...refused })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('says what is in the way', async () => {
    const at = await home()
    const said = async (...args: readonly string[]) => (await at.run(args)).stderr
    expect(await said('inspect', at.project)).toContain('is a folder, not a session file')
    expect(await said('trim', 'ses_1a2b', '--keep', 'none')).toContain('`opencode` is not on PATH')
    const into = (out: string) => said('trim', id, '--keep', 'none', '--out', out)
    expect(await into('/no/such/folder/x')).toContain('There is no folder /no/such/folder')
    expect(await into(join(at.project, 'a.txt'))).toContain('a.txt already')
    expect(readFileSync(join(at.project, 'a.txt'), 'utf8')).toBe('text of a')
  })

  it('asks which of several is meant', async () => {
    const at = await home()
    at.put(slug(at.project), { session: '1c6e3f7a-3333-4333-8333-333333333333' })
    const run = await at.run(['inspect', '1c6e3f7a'])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('fits 2 sessions') })
  })
})

describe('yoke restore', () => {
  it('undoes the trim; done again it takes that back, so that nothing is lost', async () => {
    const at = await home()
    const before = at.text()
    await at.run(['trim', id, '--keep', 'none'])
    const trimmed = at.text()
    expect(await at.run(['restore', id])).toMatchObject({ code: 0 })
    expect(at.text()).toBe(before)
    expect(await at.run(['restore', id])).toMatchObject({ code: 0 })
    expect(at.text()).toBe(trimmed)
  })
})

describe('yoke restore of a session of OpenCode', () => {
  it('names the session with which the run goes on all the same', async () => {
    const at = await home()
    const run = join(at.project, '.loop', 'runs', 'r')
    const [bin, store] = [join(at.root, 'bin'), join(at.root, 'store')]
    for (const folder of [join(run, 'backups'), bin, store]) mkdirSync(folder, { recursive: true })
    symlinkSync(join(import.meta.dirname, '../fixtures/programs/opencode-store.mjs'), join(bin, 'opencode'))
    const whole = conversation(prompt(text('Do it')), answer([text('Done.')]))
    const old = whole.info.id
    writeFileSync(join(store, `${old}.json`), JSON.stringify(whole))
    writeFileSync(join(run, 'backups', `${old}.bak`), JSON.stringify(whole))
    const common = { at: '2026-12-01T00:00:00.000Z', run: 'r' }
    const trimmed = { kept: [], refreshed: [], dropped: [], unmatched: [], durationMs: 1 }
    const sizes = { tokensBefore: 2, tokensAfter: 1, bytesBefore: 2, bytesAfter: 1 }
    const events = [
      { ...common, type: 'session.opened', role: 'worker', session: old },
      { ...common, type: 'trim.applied', session: old, newSession: 'ses_new', ...trimmed, ...sizes },
    ]
    writeFileSync(join(run, 'events.jsonl'), events.map((each) => `${JSON.stringify(each)}\n`).join(''))
    const env = { PATH: `${bin}:${process.env['PATH']}`, STORE: store }
    const restored = await at.run(['restore', old], env)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(restored.stdout).toContain(`still what it was before the trim: opencode --session ${old}\n`)
    expect(restored.stdout).toContain('The run r is not turned back: it goes on with ses_new.')
  })
})

describe('the sessions of runs in containers', () => {
  it('are found in the project', async () => {
    const at = await home()
    const other = '2c6e3f7a-3333-4333-8333-333333333333'
    const file = at.put(slug(at.project), {
      ...{ session: other, below: join(at.project, '.loop', 'agent-home') },
    })
    const run = await at.run(['inspect', '2c6e3f7a', '--json'])
    expect(JSON.parse(run.stdout)).toMatchObject({ file, id: other })
  })

  it('are not put back into the store of this machine, when they are of OpenCode', async () => {
    const at = await home()
    const run = join(at.project, '.loop', 'runs', 'r')
    mkdirSync(join(run, 'backups'), { recursive: true })
    const started = {
      ...{ type: 'run.started', at: '2026-12-01T00:00:00.000Z', run: 'r', yoke: '0.1.0', task: 't.md' },
      ...{ cwd: at.project, agent: 'opencode', agentFile: 'opencode', progress: '' },
      directives: { image: 'my-agent' },
    }
    writeFileSync(join(run, 'events.jsonl'), `${JSON.stringify(started)}\n`)
    writeFileSync(join(run, 'backups', 'ses_1.bak'), '{}')
    expect(await at.run(['restore', 'ses_1'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /run in containers[\s\S]*XDG_DATA_HOME=".+agent-home\/data" opencode import/,
      ),
    })
  })
})

describe('yoke inspect', () => {
  it('shows what a session is made of, and changes nothing', async () => {
    const at = await home()
    const before = at.text()
    const run = await at.run(['inspect', id])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    for (const part of ['attachment:prompt_snapshot', 'assistant', 'written   by 2.1.332', 'a.txt'])
      expect(run.stdout).toContain(part)
    expect(at.text()).toBe(before)
  })

  it('names tool uses without result (anthropics/claude-code#39602)', async () => {
    const at = await home()
    const lines = at.text().split('\n')
    writeFileSync(at.file, lines.filter((line) => !line.includes('"tool_use_id":"bash"')).join('\n'))
    expect((await at.run(['inspect', id])).stdout).toContain('without the other half: bash')
    expect(JSON.parse((await at.run(['inspect', id, '--json'])).stdout)).toMatchObject({ unpaired: ['bash'] })
  })

  it('bears damage, and a line of 13 million characters', async () => {
    const at = await home()
    writeFileSync(
      at.file,
      `${at.text()}{"type":"user","torn\n${JSON.stringify({ type: 'x', text: 'y'.repeat(13_000_000) })}\n`,
    )
    const run = await at.run(['inspect', id, '--json'])
    expect(JSON.parse(run.stdout)).toMatchObject({ longestLine: 13_000_022 })
    expect(run.stdout).toContain('torn')
  })
})
