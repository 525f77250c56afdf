import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHolder, takeLock } from '../../src/run/lock.ts'
import { processStart } from '../../src/system/process-start.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const now = new Date('2026-12-01T09:00:00Z')
const holder = (more: object) =>
  JSON.stringify({
    pid: process.pid,
    start: processStart(process.pid),
    host: hostname(),
    run: 'old',
    since: 'then',
    ...more,
  })

const deadPid = async (): Promise<number> => {
  const child = spawn('true')
  await once(child, 'exit')
  return child.pid ?? 0
}

describe('the lock of a project', () => {
  it('is refused to a second yoke, with the pid of the holder and exit code 6', async () => {
    const file = join(await temporaryFolder(), 'lock')
    const release = await takeLock(file, 'first', now)
    await expect(takeLock(file, 'second', now)).rejects.toMatchObject({
      code: 'E_LOCKED',
      exit: 6,
      message: expect.stringContaining(`process ${process.pid}`),
    })
    await release()
    expect(existsSync(file)).toBe(false)
  })

  it('is taken over from a dead process', async () => {
    const file = join(await temporaryFolder(), 'lock')
    await writeFile(file, holder({ pid: await deadPid(), start: '1' }))
    await takeLock(file, 'new', now)
    expect(await readHolder(file)).toMatchObject({ run: 'new', pid: process.pid })
    expect(readdirSync(join(file, '..'))).toEqual(['lock'])
  })

  it('is taken over when the pid belongs to another process by now', async () => {
    const file = join(await temporaryFolder(), 'lock')
    await writeFile(file, holder({ start: '1' }))
    await takeLock(file, 'new', now)
    expect(await readHolder(file)).toMatchObject({ run: 'new' })
  })

  it('is taken over when a crash left it damaged', async () => {
    const file = join(await temporaryFolder(), 'lock')
    await writeFile(file, '{"pid":')
    await takeLock(file, 'new', now)
    expect(await readHolder(file)).toMatchObject({ run: 'new' })
  })

  it('is not taken from another host, which cannot be asked', async () => {
    const file = join(await temporaryFolder(), 'lock')
    await writeFile(file, holder({ host: 'elsewhere', pid: 1 }))
    await expect(takeLock(file, 'new', now)).rejects.toMatchObject({
      code: 'E_LOCKED',
      message: expect.stringContaining('elsewhere'),
    })
  })

  it('goes to one of many that try at once over a dead holder', async () => {
    const file = join(await temporaryFolder(), 'lock')
    await writeFile(file, holder({ pid: await deadPid(), start: '1' }))
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => takeLock(file, `run ${n}`, now)),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is not given back by one that no longer holds it', async () => {
    const file = join(await temporaryFolder(), 'lock')
    const release = await takeLock(file, 'first', now)
    await writeFile(file, holder({ host: 'elsewhere' }))
    await release()
    expect(existsSync(file)).toBe(true)
  })
})
