import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { thisHost } from '../../src/run/lock.ts'
import { holderOfSession } from '../../src/run/session-holder.ts'
import { lockText, thisProcess } from '../../src/system/lock-file.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const run = '20261203-054701-03bb'

/** A project whose run has gone on from `ses_1` in `ses_2`. */
const place = async (holder: { readonly pid: number; readonly start: string }) => {
  const project = await temporaryFolder()
  await mkdir(join(project, '.loop/runs', run), { recursive: true })
  const at = '2026-12-03T05:47:01.000Z'
  const opened = ['ses_1', 'ses_2'].map((session) => ({
    type: 'session.opened',
    at,
    run,
    role: 'worker',
    session,
  }))
  await writeFile(
    join(project, '.loop/runs', run, 'events.jsonl'),
    opened.map((event) => `${JSON.stringify(event)}\n`).join(''),
  )
  const lock = { ...holder, host: thisHost, run, since: at }
  await writeFile(join(project, '.loop/lock'), lockText(lock))
  return project
}

describe('the yoke that works in a session', () => {
  it('is the one whose run goes on with it next, wherever it is asked for', async () => {
    const [project, other] = [await place(thisProcess()), await temporaryFolder()]
    expect(await holderOfSession('ses_2', [other, project])).toMatchObject({ pid: process.pid, run })
    expect(await holderOfSession('ses_1', [other, project])).toBeUndefined()
    expect(await holderOfSession('ses_2', [other])).toBeUndefined()
  })

  it('is none that has ended', async () => {
    const project = await place({ pid: 2 ** 22 + 1, start: '1' })
    expect(await holderOfSession('ses_2', [project])).toBeUndefined()
  })
})
