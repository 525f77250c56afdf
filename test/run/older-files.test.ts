import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loopFolder } from '../../src/run/folder.ts'
import { openRun } from '../../src/run/open-run.ts'
import { requireTrust } from '../../src/run/trust.ts'
import { fileFormat } from '../../src/system/file-format.ts'
import { digestOfGrants } from '../../src/task/grants.ts'
import { configLayers } from '../../src/task/load.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const samples = join(import.meta.dirname, '..', 'fixtures', 'state')
const id = '20261201-122621-d891'

/** A project and a state folder as an older yoke left them. */
const leftBy = async (format: string) => {
  const project = await temporaryFolder()
  cpSync(join(samples, format), project, { recursive: true })
  mkdirSync(join(project, 'yoke'))
  cpSync(join(samples, format, 'trust.json'), join(project, 'yoke', 'trust.json'))
  return {
    project,
    loop: loopFolder(project),
    events: join(project, '.loop', 'runs', id, 'events.jsonl'),
    trust: join(project, 'yoke', 'trust.json'),
    env: { XDG_STATE_HOME: project },
  }
}

const refused = { code: 'E_NEWER_FORMAT', exit: 2 }

describe.each(['format-0'])('files of %s', (format) => {
  it('tell of the run what they told', async () => {
    const { loop } = await leftBy(format)
    const { state, begin } = await openRun(loop, undefined)
    expect(state).toMatchObject({ finished: 'done', iteration: 3 })
    expect(begin.task).toMatch(/task\.md$/)
  })

  it('trust what they trusted, and keep it when more is trusted', async () => {
    const { trust, env } = await leftBy(format)
    const grants = [{ key: 'checks', value: '["make"]' }] as const
    const old = JSON.parse(readFileSync(trust, 'utf8'))
    writeFileSync(trust, JSON.stringify({ ...old, [digestOfGrants('/p', grants)]: '/p' }))
    await requireTrust('/p', grants, env, () => Promise.reject(new Error('asked again')))
    await requireTrust('/q', grants, env, async () => true)
    const { format: written, trusted } = JSON.parse(readFileSync(trust, 'utf8'))
    expect(written).toBe(fileFormat)
    expect(Object.values(trusted)).toEqual([...Object.values(old), '/p', '/q'])
  })
})

describe('files of a newer yoke are refused and stay as they are', () => {
  it('a run that it started, and one that it resumed', async () => {
    const { loop, events } = await leftBy('format-0')
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
})
