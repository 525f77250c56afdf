import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { NewEvent, RunEvent } from '../../src/events.ts'
import { createRunFolder, loopFolder, runFolder } from '../../src/run/folder.ts'
import { openJournal } from '../../src/run/journal.ts'
import { endOrphan, endOrphanOfNewestRun } from '../../src/run/orphan.ts'
import { processStart } from '../../src/system/process-start.ts'
import { finished, started } from '../helpers/events.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const program = join(import.meta.dirname, '..', 'fixtures', 'programs', 'ignores-sigterm.mjs')

/** A program in a group of its own, as agents are started, that nobody waits for. */
const orphan = async (): Promise<{ readonly pid: number; readonly start: string }> => {
  const child = spawn(process.execPath, [program], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const pid = child.pid ?? 0
  return { pid, start: processStart(pid) ?? '' }
}

const stamped = (event: NewEvent): RunEvent =>
  ({ ...event, at: '2026-12-01T09:00:00.000Z', run: 'r' }) as RunEvent

const isAlive = ({ pid, start }: { readonly pid: number; readonly start: string }): boolean =>
  processStart(pid) === start

describe('an agent that outlived its yoke', () => {
  it('is ended, also when it does not listen to SIGTERM', { timeout: 20_000 }, async () => {
    const agent = await orphan()
    await endOrphan([stamped(started({ pid: agent.pid, pidStart: agent.start }))])
    expect(isAlive(agent)).toBe(false)
  })

  it('is not mistaken for a process that has its pid by now', async () => {
    const other = await orphan()
    await endOrphan([stamped(started({ pid: other.pid, pidStart: '1' }))])
    expect(isAlive(other)).toBe(true)
  })

  it('is not looked for when the log says that it finished', async () => {
    const other = await orphan()
    await endOrphan([
      stamped(started({ pid: other.pid, pidStart: other.start })),
      stamped(finished('ok', { session: 's1' })),
    ])
    expect(isAlive(other)).toBe(true)
  })

  it('is ended before another run begins', { timeout: 20_000 }, async () => {
    const agent = await orphan()
    const loop = loopFolder(await temporaryFolder())
    for (const id of ['20261201-090000-aaaa', '20261201-100000-bbbb'])
      await createRunFolder(runFolder(loop, id), { task: 'Do it.' })
    const journal = openJournal(runFolder(loop, '20261201-100000-bbbb').events, 'r')
    journal.append(started({ pid: agent.pid, pidStart: agent.start }), new Date(0))
    journal.close()
    await endOrphanOfNewestRun(loop)
    expect(isAlive(agent)).toBe(false)
  })

  it('is nowhere in a project without runs, or with a log that nobody can read', async () => {
    const loop = loopFolder(await temporaryFolder())
    await endOrphanOfNewestRun(loop)
    await createRunFolder(runFolder(loop, '20261201-090000-aaaa'), { task: 'Do it.' })
    await expect(endOrphanOfNewestRun(loop)).resolves.toBeUndefined()
  })
})
