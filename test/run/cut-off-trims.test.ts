import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { cutOffTrims } from '../../src/run/cut-off-trims.ts'
import { loopFolder, runFolder } from '../../src/run/folder.ts'
import { takeLock } from '../../src/run/lock.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const run = '20261203-101500-ab12'

it('finds the sessions of killed trims that no run knows of and that are in the store', async () => {
  const project = await temporaryFolder()
  const put = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const loop = loopFolder(project)
  const { backups, events } = runFolder(loop, run)
  // Each was trimmed from ses_1; ses_4 was never imported.
  for (const id of ['ses_2', 'ses_3', 'ses_4']) put(join(backups, `${id}.origin`), 'ses_1')
  for (const id of ['ses_1', 'ses_2', 'ses_3'])
    put(join(project, `opencode/storage/session/global/${id}.json`), '{}')
  const env = { XDG_DATA_HOME: project }
  expect(await cutOffTrims(project, env)).toEqual([])
  const applied = {
    ...{ type: 'trim.applied', at: '2026-12-03T10:15:00.000Z', run, session: 'ses_1', newSession: 'ses_2' },
    ...{ kept: [], refreshed: [], dropped: [], unmatched: [], durationMs: 1 },
    ...{ tokensBefore: 2, tokensAfter: 1, bytesBefore: 2, bytesAfter: 1 },
  }
  put(events, `${JSON.stringify(applied)}\n`)
  expect(await cutOffTrims(project, env)).toEqual([{ run, session: 'ses_3' }])
  // A run that goes on may be trimming.
  const release = await takeLock(loop.lock, run, new Date())
  expect(await cutOffTrims(project, env)).toEqual([])
  await release()
})
