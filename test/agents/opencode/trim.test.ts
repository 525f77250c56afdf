import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionTrim } from '../../../src/agents/agent.ts'
import { restoreSession } from '../../../src/agents/opencode/restore.ts'
import type { Message, Session } from '../../../src/agents/opencode/session-schema.ts'
import { trimSession } from '../../../src/agents/opencode/trim.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'
import { answer, call, prompt, read, session, text } from './session.ts'

const program = join(import.meta.dirname, '../../fixtures/programs/opencode-store.mjs')

/** A project whose files have been read, one after the other, and a store with that session. */
const place = async (
  files: Readonly<Record<string, string>>,
  change: (whole: Session) => unknown = (whole) => whole,
) => {
  const root = await temporaryFolder()
  const [cwd, store] = [join(root, 'project'), join(root, 'store')]
  await Promise.all([cwd, store].map((folder) => mkdir(folder)))
  const reads: Message[] = []
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(cwd, name), content)
    reads.push(answer([read(join(cwd, name), content.trimEnd().split('\n'))]))
  }
  const whole = session(
    prompt(text('Do it')),
    ...reads,
    answer([call('bash', { command: 'ls' }, 'x'), text('Done.')]),
  )
  const { id } = whole.info
  await writeFile(join(store, `${id}.json`), JSON.stringify(change(whole)))
  const trim = (more: Partial<SessionTrim> = {}, fault = '') =>
    trimSession({
      program,
      session: id,
      file: '',
      keep: ['**'],
      cwd,
      staleReads: 'refresh',
      harder: false,
      backup: join(root, 'backups', `${more.session ?? id}.bak`),
      env: { PATH: process.env['PATH'], HOME: root, STORE: store, FAULT: fault },
      ...more,
    })
  const backups = async () => (await readdir(join(root, 'backups'))).sort()
  /** Somebody goes on in a session. */
  const workIn = async (name = '') => {
    const held = await load(name)
    const { messages } = session(prompt(text('And this')), answer([text('By hand.')]))
    const worked = { ...held, messages: [...held.messages, ...messages] }
    await writeFile(join(store, `${name}.json`), JSON.stringify(worked))
  }
  const stored = async () => (await readdir(store)).map((name) => name.replace('.json', ''))
  const load = async (name = ''): Promise<Session> =>
    JSON.parse(await readFile(join(store, `${name}.json`), 'utf8'))
  const undo = (fault = '') =>
    restoreSession(
      {
        program,
        cwd,
        env: { PATH: process.env['PATH'], STORE: store, FAULT: fault },
        launch: (command) => command,
      },
      id,
      join(root, 'backups', `${id}.bak`),
    )
  return { id, cwd, root, trim, undo, stored, load, backups, workIn }
}

const files = { 'a.ts': 'a\n', 'b.ts': 'b\nb\n' }

describe('the trim of an OpenCode session', () => {
  it('stores what stays as a session of its own, and the old one as its backup', async () => {
    const { id, trim, stored, load, root } = await place(files)
    const before = await load(id)
    const result = await trim({ keep: ['a.ts'] })
    if (result.status !== 'applied') throw new Error(JSON.stringify(result))
    expect((await stored()).sort()).toEqual([id, result.newSession].sort())
    expect((await load(result.newSession)).messages).toHaveLength(3)
    expect(await load(id)).toEqual(before)
    expect(JSON.parse(await readFile(join(root, 'backups', `${id}.bak`), 'utf8'))).toEqual(before)
    expect((await readdir(join(root, 'backups'))).sort()).toEqual(
      [`${id}.bak`, `${result.newSession}.origin`].sort(),
    )
  })

  it('takes the one before away once what came after it has been trimmed', async () => {
    const { id, trim, stored } = await place(files)
    const first = await trim()
    if (first.status !== 'applied') throw new Error(JSON.stringify(first))
    const second = await trim({ session: first.newSession ?? '', keep: [], isOfRun: true })
    if (second.status !== 'applied') throw new Error(JSON.stringify(second))
    expect((await stored()).sort()).toEqual([first.newSession, second.newSession].sort())
    expect(await stored()).not.toContain(id)
  })

  it('takes away no session in which somebody has gone on, and tells of it once', async () => {
    const { id, trim, stored, workIn, backups } = await place(files)
    const first = await trim()
    // As a run that was killed before it knew of it.
    const cutOff = await trim()
    if (first.status !== 'applied' || cutOff.status !== 'applied') throw new Error('refused')
    const session = first.newSession ?? ''
    await workIn(cutOff.newSession)
    const again = await trim({ isOfRun: true })
    if (again.status !== 'applied') throw new Error(JSON.stringify(again))
    expect(again.left).toEqual([cutOff.newSession])
    expect((await stored()).sort()).toEqual([id, cutOff.newSession, again.newSession].sort())
    expect(session).not.toBe('')

    await workIn(id)
    const next = again.newSession ?? ''
    const last = await trim({ session: next, keep: [], isOfRun: true })
    if (last.status !== 'applied') throw new Error(JSON.stringify(last))
    expect(last.left).toEqual([id])
    expect((await stored()).sort()).toEqual([id, cutOff.newSession, next, last.newSession].sort())
    expect(await backups()).toEqual([`${id}.bak`, `${next}.bak`, `${last.newSession}.origin`].sort())
    expect(await trim({ session: next, keep: ['**'], isOfRun: true })).not.toHaveProperty('left')
  })

  it.each(['', '{"info":{}}', undefined])('takes away no session whose backup is %j', async (backup) => {
    const { id, trim, stored, root } = await place(files)
    const first = await trim()
    if (first.status !== 'applied') throw new Error(JSON.stringify(first))
    const file = join(root, 'backups', `${id}.bak`)
    await (backup === undefined ? rm(file) : writeFile(file, backup))
    expect(await trim({ session: first.newSession ?? '', keep: [], isOfRun: true })).toMatchObject({
      ...{ status: 'applied', left: [id] },
    })
    expect(await stored()).toContain(id)
  })

  it('tries again to take away what could not be deleted', async () => {
    const { id, trim, stored, backups } = await place(files)
    expect(await trim({}, 'half undeleted')).toMatchObject({ status: 'refused', code: 'import' })
    const [half = ''] = (await stored()).filter((each) => each !== id)
    expect(await backups()).toEqual([`${id}.bak`, `${half}.origin`, `${half}.undeleted`].sort())
    const first = await trim()
    if (first.status !== 'applied') throw new Error(JSON.stringify(first))
    expect(await stored()).not.toContain(half)

    const next = { session: first.newSession ?? '', keep: [], isOfRun: true }
    const second = await trim(next, 'undeleted')
    if (second.status !== 'applied') throw new Error(JSON.stringify(second))
    expect(await stored()).toContain(id)
    const third = { ...next, session: second.newSession ?? '' }
    expect(await trim(third)).toMatchObject({ status: 'unchanged' })
    expect(await stored()).not.toContain(id)
    expect((await backups()).filter((name) => /undeleted/.test(name))).toEqual([])
  })

  it('is left undone when the caller declines what it would come to', async () => {
    const { id, root, trim, stored } = await place(files)
    const result = await trim({
      keep: ['a.ts'],
      decline: ({ tokens: { before, after, head }, paths }) =>
        `${0 < head && head < after && after < before}, ${paths.length}`,
    })
    expect(result).toMatchObject({ status: 'refused', code: 'declined', reason: 'true, 1' })
    expect(await readdir(join(root, 'backups'))).toEqual([`${id}.bak`])
    expect(await stored()).toEqual([id])
  })

  it('is undone, also after the session before it has been taken away', async () => {
    const { id, trim, undo, load, stored } = await place(files)
    const before = await load(id)
    const first = await trim()
    if (first.status !== 'applied') throw new Error(JSON.stringify(first))
    await trim({ session: first.newSession ?? '', keep: [], isOfRun: true })
    expect(await stored()).not.toContain(id)
    await expect(undo('half')).rejects.toMatchObject({ code: 'E_RESTORE' })
    expect(await undo()).toBe('imported')
    expect(await load(id)).toEqual(before)
  })

  it.each<[string, (text: string) => string]>([
    ['cut off', (text) => text.slice(0, 200)],
    ['empty', () => ''],
    ['of another make', () => '{"info":{}}'],
    ['of another session', (text) => text.replace(/"id":"ses_\w+"/, '"id":"ses_other"')],
  ])('is not undone with a backup that is %s, and says so', async (_, damage) => {
    const { id, root, trim, undo, stored, backups } = await place(files)
    await trim()
    const before = await stored()
    const file = join(root, 'backups', `${id}.bak`)
    await writeFile(file, damage(await readFile(file, 'utf8')))
    const left = await backups()
    await expect(undo()).rejects.toMatchObject({
      ...{
        code: 'E_RESTORE',
        exit: 1,
        message: expect.stringMatching(/^The backup of .* is damaged: it is .*[^.]\.$/),
      },
      fix: expect.stringContaining(file),
    })
    expect([await stored(), await backups()]).toEqual([before, left])
  })

  it('stays undone: what a person has restored is not taken away', async () => {
    const { id, trim, undo, stored, backups } = await place(files)
    const first = await trim()
    if (first.status !== 'applied') throw new Error(JSON.stringify(first))
    expect(await undo()).toBe('there')
    const next = { session: first.newSession ?? '', keep: [], isOfRun: true }
    expect(await trim(next)).toMatchObject({ status: 'applied', left: [id] })
    expect(await stored()).toContain(id)
    expect((await backups()).filter((name) => name.endsWith('.restored'))).toEqual([])
  })

  it('refreshes a file that has changed, or drops it', async () => {
    const { cwd, trim, load } = await place(files)
    await writeFile(join(cwd, 'a.ts'), 'new\n')
    const refreshed = await trim()
    expect(refreshed).toMatchObject({ report: { paths: [{ state: 'refreshed' }, { state: 'fresh' }] } })
    const { newSession } = refreshed as { newSession?: string }
    expect((await load(newSession)).messages[1]?.parts[0]?.state?.output).toContain('1: new\n')
    expect(await trim({ staleReads: 'drop' })).toMatchObject({ report: { dropped: [{ reason: 'changed' }] } })
  })

  it('keeps the newest half when the context is full', async () => {
    const { trim } = await place({ 'a.ts': 'a\n'.repeat(50), 'b.ts': 'b\n'.repeat(50) })
    expect(await trim({ harder: true })).toMatchObject({
      report: { paths: [{ path: expect.stringMatching(/b\.ts$/) }], dropped: [{ reason: 'to make room' }] },
    })
  })

  it.each<[string, string, string]>([
    ['an import that stores nothing and says well done', 'silent', 'unverified'],
    ['an import that stops half way', 'half', 'import'],
  ])('is undone after %s', async (_, fault, code) => {
    const { id, trim, stored } = await place(files)
    expect(await trim({}, fault)).toMatchObject({ status: 'refused', code })
    expect(await stored()).toEqual([id])
  })

  it.each<[string, string, (whole: Session) => unknown]>([
    [
      'drift',
      'messages.0.info.role',
      ({ messages: [first], ...rest }) => ({
        ...rest,
        messages: [{ ...first, info: { ...first?.info, role: 'system' } }],
      }),
    ],
    ['drift', 'export', () => 'no session'],
    ['no-answer', 'no answer', (whole) => ({ ...whole, messages: whole.messages.slice(0, 1) })],
  ])('is refused with %s', async (code, words, change) => {
    const { id, trim, stored } = await place(files, change)
    const result = await trim()
    expect(result).toMatchObject({ status: 'refused', code })
    expect(result.status === 'refused' && result.reason).toContain(words)
    expect(await stored()).toEqual([id])
  })

  it.each<[string, Partial<SessionTrim>, string]>([
    ['an unknown session', { session: 'ses_none' }, 'missing'],
    ['a program that is not there', { program: '/nonexistent/opencode' }, 'export'],
    ['a backup that cannot be written', { backup: join(program, 'x.bak') }, 'io'],
  ])('is refused for %s', async (_, more, code) => {
    const { trim } = await place(files)
    expect(await trim(more)).toMatchObject({ status: 'refused', code })
  })

  it('is refused for a session that only an older release can read, with where it is', async () => {
    const { trim, root } = await place(files)
    const folder = join(root, '.local/share/opencode/storage/session/global')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'ses_old.json'), '{}')
    const result = await trim({ session: 'ses_old' })
    expect(result).toMatchObject({ status: 'refused', code: 'missing' })
    expect(result.status === 'refused' && result.reason).toContain(
      `in ${join(folder, 'ses_old.json')}, where releases before 1.2 kept`,
    )
  })

  it('is refused with a release on which a trim failed', async () => {
    const { trim, stored, root } = await place(files)
    const schemas = join(root, '.config/yoke/schemas/opencode')
    await mkdir(schemas, { recursive: true })
    const format = { agent: 'opencode', from: '1.18.99', to: '1.18.99', releases: ['1.18.99'], verified: [] }
    const faults = { unverified: { '1.18.99': ['resume: its last answer is missing.'] } }
    await writeFile(
      join(schemas, '1.18.99.json'),
      JSON.stringify({ ...format, ...faults, files: [], session: {}, stream: {} }),
    )
    const env = { PATH: process.env['PATH'], HOME: root, STORE: join(root, 'store'), VERSION: '1.18.99' }
    const result = await trim({ env })
    expect(result).toMatchObject({ status: 'refused', code: 'drift' })
    expect(result.status === 'refused' && result.reason).toContain('1.18.99, which does not: resume')
    expect(await stored()).toHaveLength(1)
  })

  it('names parts of a type that yoke does not know, which go', async () => {
    const { trim } = await place(files, (whole) => ({
      ...whole,
      messages: whole.messages.map((message) =>
        message.info.role === 'user'
          ? message
          : {
              ...message,
              parts: [
                ...message.parts,
                { ...message.parts[0], id: `${message.parts[0]?.id}x`, type: 'novelty' },
              ],
            },
      ),
    }))
    expect(await trim()).toMatchObject({
      status: 'applied',
      report: { unknown: [{ name: 'novelty', count: 3 }] },
    })
  })
})
