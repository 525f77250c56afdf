import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { NamedSession, TrimByHand } from '../../../src/agents/named-session.ts'
import { takeInventory } from '../../../src/agents/opencode/inventory.ts'
import { opencode } from '../../../src/agents/opencode/opencode.ts'
import { restoreSession } from '../../../src/agents/opencode/restore.ts'
import type { Session } from '../../../src/agents/opencode/session-schema.ts'
import { importFiles, originFile } from '../../../src/agents/opencode/trim-notes.ts'
import { agentOfSession } from '../../../src/agents/registry.ts'
import { thisProcess } from '../../../src/system/lock-file.ts'
import { lockSession } from '../../../src/transcript/session-lock.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'
import { answer, call, prompt, read, session, text, thought } from './session.ts'

const program = join(import.meta.dirname, '../../fixtures/programs/opencode-store.mjs')

const conversation = (cwd: string): Session => {
  const whole = session(
    prompt(text('Do it')),
    answer([thought('hm'), read(join(cwd, 'a.ts'), ['a']), read(join(cwd, 'a.ts'), ['a'])]),
    answer([call('bash', { command: 'ls' }, 'x'), text('Done.')]),
  )
  return { ...whole, info: { ...whole.info, directory: cwd, version: '1.18.33' } }
}

/** A folder with a file that was read, a store with that session, and `opencode` on PATH. */
const place = async () => {
  const root = await temporaryFolder()
  const [cwd, store, bin] = [join(root, 'project'), join(root, 'store'), join(root, 'bin')]
  await Promise.all([cwd, store, bin].map((folder) => mkdir(folder)))
  await symlink(program, join(bin, 'opencode'))
  await writeFile(join(cwd, 'a.ts'), 'a\n')
  const whole = conversation(cwd)
  const { id } = whole.info
  const put = (each: Session) => writeFile(join(store, `${each.info.id}.json`), JSON.stringify(each))
  await put(whole)
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: root, STORE: store }
  const backup = join(root, 'backups', `${id}.bak`)
  const open = (named: string = id): Promise<NamedSession> => opencode.openSession(named, cwd, env)
  const trim = async (more: Partial<TrimByHand> = {}, named: string = id) =>
    (await open(named)).trim({ keep: ['a.ts'], staleReads: 'refresh', backup, ...more })
  const stored = async () => (await readdir(store)).map((name) => name.replace('.json', '')).sort()
  const undo = () => restoreSession({ program, cwd, env, launch: (command) => command }, id, backup)
  return { root, cwd, id, whole, env, backup, put, open, trim, stored, undo }
}

/** What a yoke leaves beside a backup when it ends in the middle of an import; `by` is that yoke. */
const cutOff = async (
  { backup, whole, put }: Awaited<ReturnType<typeof place>>,
  by = { pid: 2 ** 22 + 1, start: '1' },
) => {
  const half = { ...whole, info: { ...whole.info, id: 'ses_half' }, messages: whole.messages.slice(0, 1) }
  const files = importFiles(backup)
  await mkdir(join(backup, '..'), { recursive: true })
  await put(half)
  await writeFile(files.processes, JSON.stringify({ yoke: by, import: by }))
  await writeFile(files.session, JSON.stringify(half))
  await writeFile(originFile(join(backup, '..'), 'ses_half'), whole.info.id)
  await writeFile(backup, JSON.stringify(whole))
}

describe('a session of OpenCode by hand', () => {
  it('is told by its id, or by a file that begins as an export does', async () => {
    const { cwd, id, whole } = await place()
    await writeFile(join(cwd, 'export.json'), JSON.stringify(whole, undefined, 2))
    await writeFile(join(cwd, 'ses_claude'), '{"type":"user"}\n')
    const agents = ['export.json', id, 'ses_claude', '1c6e3f7a', '.'].map((each) => agentOfSession(each, cwd))
    expect((await Promise.all(agents)).map(({ name }) => name)).toEqual([
      ...['opencode', 'opencode', 'claude', 'claude', 'claude'],
    ])
  })

  it('is shown by what it is made of, in the columns of all sessions', async () => {
    const { cwd, open } = await place()
    const { found, inventory } = await open()
    expect(found).toMatchObject({ cwds: [cwd], remarks: [] })
    const { rows, ...it } = await inventory()
    expect(Object.fromEntries(rows.map(({ type, records }) => [type, records]))).toEqual({
      ...{ session: 1, 'message:user': 1, 'message:assistant': 2, text: 2, reasoning: 1 },
      ...{ 'tool:read': 2, 'tool:bash': 1 },
    })
    expect(rows.every(({ bytes }) => bytes > 0)).toBe(true)
    expect(it).toMatchObject({ versions: ['1.18.33'], damage: [], unpaired: [] })
    expect(it.reads).toEqual([{ path: join(cwd, 'a.ts'), times: 2 }])
    expect(it.liveTokens).toBeGreaterThan(0)
  })

  it('names calls without a result, and counts what a compaction hides in no request', () => {
    const open = call('bash', { command: 'sleep' }, '', { status: 'running' })
    const whole = session(prompt(text('Do it')), answer([read('/a', ['a'.repeat(4_000)]), open]))
    const compacted = session(...whole.messages, answer([text('So far.')], { summary: true }))
    expect(takeInventory(whole).unpaired).toEqual([open.callID])
    expect(takeInventory(compacted).liveTokens).toBeLessThan(takeInventory(whole).liveTokens / 100)
  })

  it('is compared with the formats, also as the file of an export without OpenCode', async () => {
    const { cwd, whole, env, open } = await place()
    const { fingerprint } = await open()
    expect(await fingerprint(false)).toMatchObject({ verdict: 'known', versions: ['1.18.33'] })
    const [first, ...rest] = whole.messages
    const parts = first?.parts.map((part) => ({ ...part, mood: 1 })) ?? []
    await writeFile(
      join(cwd, 'export.json'),
      JSON.stringify({ ...whole, messages: [{ ...first, parts }, ...rest] }),
    )
    const file = await opencode.openSession('export.json', cwd, { ...env, PATH: '' })
    expect(await file.fingerprint(false)).toMatchObject({ verdict: 'additive' })
    expect(await file.fingerprint(true)).toMatchObject({
      verdict: 'breaking',
      differences: [{ name: 'user/text.mood', path: 'messages[0].parts[0].mood' }],
    })
    expect((await fingerprint(false)).fingerprint).not.toBe((await file.fingerprint(false)).fingerprint)
  })

  it('is trimmed under a new id; what it was trimmed from stays, however often', async () => {
    const { id, trim, stored, backup } = await place()
    const first = await trim()
    if (first.status !== 'applied') throw new Error(JSON.stringify(first))
    const next = first.newSession ?? ''
    const second = await trim({ keep: [], backup: backup.replace(id, next) }, next)
    if (second.status !== 'applied') throw new Error(JSON.stringify(second))
    const again = await trim({ keep: [] })
    if (again.status !== 'applied') throw new Error(JSON.stringify(again))
    expect(await stored()).toEqual([id, next, second.newSession, again.newSession].sort())
  })

  it('is left alone by a dry run, with --out, and when there is nothing to take out', async () => {
    const { root, id, trim, stored, cwd } = await place()
    expect(await trim({ dryRun: true })).toMatchObject({ status: 'planned' })
    const out = join(cwd, 'out.json')
    expect(await trim({ out })).toMatchObject({ status: 'applied' })
    expect(await trim({ out })).toMatchObject({ status: 'refused', code: 'io' })
    const trimmed: Session = JSON.parse(await readFile(out, 'utf8'))
    expect(trimmed.info.id).not.toBe(id)
    expect(await trim({ dryRun: true }, out)).toMatchObject({ status: 'unchanged' })
    expect(existsSync(join(root, 'backups'))).toBe(false)
    expect(await stored()).toEqual([id])
  })

  it.each<[string, string, (at: Awaited<ReturnType<typeof place>>) => Promise<unknown>]>([
    [
      'the file of an export',
      'not-stored',
      async ({ cwd, whole }) => writeFile(join(cwd, 'export.json'), JSON.stringify(whole)),
    ],
    [
      'a session whose folder is gone',
      'no-folder',
      async ({ put, whole }) => put({ ...whole, info: { ...whole.info, directory: '/gone' } }),
    ],
    [
      'one that another yoke trims',
      'locked',
      async ({ backup }) => {
        await mkdir(join(backup, '..'))
        await lockSession(backup)
      },
    ],
    [
      'a format that is not known',
      'drift',
      async ({ put, whole }) =>
        put({ ...whole, messages: whole.messages.map(({ info }) => ({ info })) as never }),
    ],
  ])('is not trimmed: %s', async (_, code, prepare) => {
    const at = await place()
    await prepare(at)
    expect(await at.trim({}, code === 'not-stored' ? 'export.json' : at.id)).toMatchObject({
      status: 'refused',
      code,
    })
    expect(await at.stored()).toEqual([at.id])
  })

  it('is named in a sentence when there is none, or it cannot be read', async () => {
    const { open, put, whole, env, cwd } = await place()
    await expect(open('ses_none')).rejects.toMatchObject({ code: 'E_NO_SESSION', exit: 2 })
    await expect(opencode.openSession('ses_none', cwd, { ...env, PATH: '' })).rejects.toMatchObject({
      code: 'E_NO_AGENT',
    })
    await writeFile(join(cwd, 'torn.json'), '{"info": {')
    await mkdir(join(cwd, 'ses_folder'))
    const torn = await open('torn.json')
    await expect(torn.fingerprint(false)).rejects.toMatchObject({ code: 'E_NOT_A_SESSION' })
    await expect(open('ses_folder')).rejects.toMatchObject({ code: 'E_NO_SESSION' })
    await put({ ...whole, messages: 1 as never })
    await expect((await open()).inventory()).rejects.toMatchObject({ code: 'E_NOT_A_SESSION' })
  })
})

describe('a trim that a kill has cut off', () => {
  it.each([
    ['the next trim', async ({ trim }: Awaited<ReturnType<typeof place>>) => trim()],
    ['a restore', async ({ undo }: Awaited<ReturnType<typeof place>>) => undo()],
  ])('is taken back by %s', async (_, mend) => {
    const at = await place()
    await cutOff(at)
    await mend(at)
    expect(await at.stored()).not.toContain('ses_half')
    const left = (await readdir(join(at.backup, '..'))).filter((name) => /import|half|lock/.test(name))
    expect(left).toEqual([])
  })

  it('is none while its yoke still runs', async () => {
    const at = await place()
    await cutOff(at, thisProcess())
    expect(await at.undo()).toBe('there')
    expect(await at.stored()).toContain('ses_half')
    await rm(importFiles(at.backup).processes)
  })
})
