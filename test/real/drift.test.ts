import { cp, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toolUses } from '../../src/probe/request-view.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { journalOf, of, place, roles, twoTurns } from './project.ts'

const root = join(import.meta.dirname, '..', '..')

/** A yoke from this source that knows other formats of Claude Code: `all` is the list of those that it ships. */
const yokeWith = async (formats: string): Promise<readonly string[]> => {
  const folder = await temporaryFolder()
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const schemas = join(folder, 'src/drift/schemas')
  await rename(join(schemas, 'claude.ts'), join(schemas, 'all-claude.ts'))
  await writeFile(
    join(schemas, 'claude.ts'),
    `import { claudeFormats as all } from './all-claude.ts'\nexport const claudeFormats = ${formats}\n`,
  )
  return [join(root, 'node_modules/.bin/bun'), join(folder, 'src/start.ts')]
}

const { files, worker, judge } = twoTurns()
const scenario = { name: 'drift', roles, repeat: true, script: { worker: [worker], judge } }

describe('a loop with a release of Claude Code that yoke was not tried with', () => {
  it('goes on trimmed and says so, once, when the release is newer', { timeout: 60_000 }, async () => {
    const program = await yokeWith(
      "all.filter(({ to }) => to.localeCompare('2.1.310', undefined, { numeric: true }) <= 0)",
    )
    const { project, env } = await place({ files, scenario })
    const run = await yoke(['brute', 'task.md', '--json'], { cwd: project, env, program })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const events = journalOf(project)
    const drift = of(events, 'drift.found').filter(({ where }) => where === 'session')
    expect(drift.map(({ verdict }) => verdict)).toEqual(['additive'])
    expect(drift[0]?.names).toContain('release 2.1.332')
    expect(of(events, 'trim.applied')).toHaveLength(2)
    expect(of(events, 'trim.refused')).toEqual([])
    expect(eventsOf(run).at(-1)).toMatchObject({ type: 'run.finished', result: 'done', iterations: 2 })
  })

  it('goes on untrimmed, says so and what to do, when the release is older than all', {
    timeout: 60_000,
  }, async () => {
    const program = await yokeWith(
      "all.slice(-1).map((format) => ({ ...format, from: '2.1.400', to: '2.1.400', releases: ['2.1.400'], verified: ['2.1.400'] }))",
    )
    const { project, server, env } = await place({ files, scenario })
    const run = await yoke(['brute', 'task.md'], { cwd: project, env, program })
    expect(run.code).toBe(0)
    const events = journalOf(project)
    expect(of(events, 'drift.found').map(({ where, verdict }) => `${where} ${verdict}`)).toEqual([
      'session breaking',
    ])
    expect(of(events, 'trim.refused').map(({ code }) => code)).toEqual(['drift', 'drift'])
    expect(of(events, 'run.finished')).toMatchObject([{ result: 'done', iterations: 2 }])
    const shown = run.stdout + run.stderr
    expect(shown).toContain('expected a release from 2.1.400 to 2.1.400, found 2.1.332')
    expect(shown.match(/yoke doctor/g)).toHaveLength(1)
    // The second turn still holds all of the first one.
    const second = server.requests.find((each) => each.role === 'worker' && each.turn === 1)
    expect(second && toolUses(second).map(({ name }) => name)).toEqual(['Read', 'Write', 'Write'])
  })
})
