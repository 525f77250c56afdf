import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { learntFolder, learntFormats, storeLearnt } from '../../src/drift/learnt.ts'
import { loopFolder, runFolder } from '../../src/run/folder.ts'
import { addWorktree, settleWorktree } from '../../src/run/git/worktree.ts'
import { readInbox } from '../../src/run/inbox.ts'
import { readHolder, takeLock } from '../../src/run/lock.ts'
import { openRun } from '../../src/run/open-run.ts'
import { requireTrust } from '../../src/run/trust.ts'
import { fileFormat } from '../../src/system/file-format.ts'
import { digestOfGrants } from '../../src/task/grants.ts'
import { configLayers } from '../../src/task/load.ts'
import { lockOf, lockSession } from '../../src/transcript/session-lock.ts'
import { git, initialise, put } from '../helpers/repository.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const samples = join(import.meta.dirname, '..', 'fixtures', 'state')
const ids = { 'format-0': '20261201-122621-d891', 'format-1': '20261203-051027-5962' }
type Kept = keyof typeof ids

/** A project and a state folder as an older yoke left them. */
const leftBy = async (format: Kept) => {
  const project = await temporaryFolder()
  cpSync(join(samples, format), project, { recursive: true })
  mkdirSync(join(project, 'yoke'))
  cpSync(join(samples, format, 'trust.json'), join(project, 'yoke', 'trust.json'))
  return {
    project,
    loop: loopFolder(project),
    id: ids[format],
    events: join(project, '.loop', 'runs', ids[format], 'events.jsonl'),
    trust: join(project, 'yoke', 'trust.json'),
    env: { XDG_STATE_HOME: project },
  }
}

/** A config folder with what an older yoke learnt. */
const learntBy = async (format: Kept) => {
  const config = await temporaryFolder()
  cpSync(join(samples, format, 'schemas'), join(config, 'yoke', 'schemas'), { recursive: true })
  const env = { XDG_CONFIG_HOME: config }
  return { env, file: join(learntFolder(env), '1.0.10.json') }
}

/** A worktree that yoke made, and the file that says so. */
const worktree = async () => {
  const project = join(await temporaryFolder(), 'project')
  put(project, { 'a.txt': 'a\n' })
  initialise(project)
  const made = await addWorktree(project, { taskFile: 'task.md' })
  return { made, marker: join(git(made.path, 'rev-parse', '--absolute-git-dir'), 'yoke.json') }
}

const refused = { code: 'E_NEWER_FORMAT', exit: 2 }

const told = {
  'format-0': { finished: 'done', iteration: 3 },
  'format-1': { finished: 'limit', iteration: 2 },
}

describe.each<Kept>(['format-0', 'format-1'])('files of %s', (format) => {
  it('tell of the run what they told', async () => {
    const { loop } = await leftBy(format)
    const { state, begin } = await openRun(loop, undefined)
    expect(state).toMatchObject(told[format])
    expect(begin.task).toMatch(/task\.md$/)
  })

  it('trust what they trusted, and keep it when more is trusted', async () => {
    const { trust, env } = await leftBy(format)
    const grants = [{ key: 'checks', value: '["make"]' }] as const
    const kept = JSON.parse(readFileSync(trust, 'utf8'))
    const old = format === 'format-0' ? kept : kept.trusted
    const more = { ...old, [digestOfGrants('/p', grants)]: '/p' }
    writeFileSync(trust, JSON.stringify(format === 'format-0' ? more : { ...kept, trusted: more }))
    await requireTrust('/p', grants, env, () => Promise.reject(new Error('asked again')))
    await requireTrust('/q', grants, env, async () => true)
    const { format: written, trusted } = JSON.parse(readFileSync(trust, 'utf8'))
    expect(written).toBe(fileFormat)
    expect(Object.values(trusted)).toEqual([...Object.values(old), '/p', '/q'])
  })
})

describe('files of format-1', () => {
  it('bring what people said, and tell who held the project', async () => {
    const { loop, id } = await leftBy('format-1')
    const letters = readInbox(runFolder(loop, id))
    expect(letters).toMatchObject([{ message: { type: 'say', text: 'Read the tests first.' } }])
    expect(await readHolder(loop.lock)).toMatchObject({ host: 'elsewhere.example', run: id })
  })

  it('teach what was learnt', async () => {
    const { env } = await learntBy('format-1')
    expect(await learntFormats(env)).toMatchObject([{ from: '1.0.10', learnt: { yoke: '0.1.0' } }])
  })

  it('name a worktree as made by yoke: one that nothing was done in goes again', async () => {
    const { made, marker } = await worktree()
    const { base } = JSON.parse(readFileSync(marker, 'utf8'))
    const kept = readFileSync(join(samples, 'format-1', 'yoke.json'), 'utf8')
    writeFileSync(marker, JSON.stringify({ ...JSON.parse(kept), base, branch: made.branch }))
    expect(await settleWorktree(made.project)).toMatch(/is gone again/)
    expect(existsSync(made.path)).toBe(false)
  })
})

describe('files of a newer yoke are refused and stay as they are', () => {
  it('a run that it started, and one that it resumed', async () => {
    const { loop, events, id } = await leftBy('format-0')
    const before = readFileSync(events, 'utf8')
    const newer = `{"type":"run.resumed","at":"tomorrow","format":${fileFormat + 1},"novel":[]}\n`
    writeFileSync(events, newer + before)
    await expect(openRun(loop, id)).rejects.toMatchObject(refused)
    writeFileSync(events, before)
    appendFileSync(events, newer)
    await expect(openRun(loop, id)).rejects.toMatchObject(refused)
    expect(readFileSync(events, 'utf8')).toBe(before + newer)
  })

  it('what it trusted', async () => {
    const { trust, env } = await leftBy('format-0')
    const newer = JSON.stringify({ format: fileFormat + 1, trusted: [] })
    writeFileSync(trust, newer)
    const asking = requireTrust('/p', [{ key: 'checks', value: '["make"]' }], env, async () => true)
    await expect(asking).rejects.toMatchObject(refused)
    expect(readFileSync(trust, 'utf8')).toBe(newer)
  })

  it('its config', async () => {
    const { project } = await leftBy('format-0')
    const config = join(project, '.loop', 'config.yaml')
    const layers = () => configLayers(project, { XDG_CONFIG_HOME: project })
    writeFileSync(config, `format: ${fileFormat + 1}\nmax-iterations: 3\n`)
    await expect(layers()).rejects.toMatchObject(refused)
    writeFileSync(config, `format: ${fileFormat}\nmax-iterations: 3\n`)
    expect((await layers())[0]?.values).toEqual({ 'max-iterations': 3 })
  })

  it('what people said to its run: it is told, and left there', async () => {
    const { loop, id } = await leftBy('format-1')
    const { inbox } = runFolder(loop, id)
    const [name = ''] = readdirSync(inbox)
    writeFileSync(join(inbox, name), JSON.stringify({ format: fileFormat + 1, type: 'say', text: 'Stop.' }))
    expect(readInbox(runFolder(loop, id))).toEqual([
      { name, problem: expect.stringContaining('was written by a newer yoke') },
    ])
  })

  it('its locks, of a project and of a session', async () => {
    const { loop, project } = await leftBy('format-1')
    const session = join(project, 's.jsonl')
    const newer = JSON.stringify({ format: fileFormat + 1, holders: [] })
    for (const file of [loop.lock, lockOf(session)]) writeFileSync(file, newer)
    await expect(takeLock(loop.lock, 'r', new Date(0))).rejects.toMatchObject(refused)
    await expect(readHolder(loop.lock)).rejects.toMatchObject(refused)
    await expect(lockSession(session)).rejects.toMatchObject(refused)
    for (const file of [loop.lock, lockOf(session)]) expect(readFileSync(file, 'utf8')).toBe(newer)
  })

  it('its worktree, which stays', async () => {
    const { made, marker } = await worktree()
    writeFileSync(
      marker,
      JSON.stringify({ ...JSON.parse(readFileSync(marker, 'utf8')), format: fileFormat + 1 }),
    )
    expect(await settleWorktree(made.project)).toMatch(/stays: .*yoke\.json was written by a newer yoke/)
    expect(existsSync(made.path)).toBe(true)
  })

  it('what it learnt, which teaches nothing and is not replaced', async () => {
    const { env, file } = await learntBy('format-1')
    const [format] = await learntFormats(env)
    const newer = JSON.stringify({ ...format, format: fileFormat + 1 })
    writeFileSync(file, newer)
    expect(await learntFormats(env)).toEqual([])
    if (format === undefined) throw new Error('nothing was learnt')
    await expect(storeLearnt(format, env)).rejects.toMatchObject(refused)
    expect(readFileSync(file, 'utf8')).toBe(newer)
  })
})
