import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loopFolder, runFolder } from '../../src/run/folder.ts'
import { readInbox } from '../../src/run/inbox.ts'
import { openJournal } from '../../src/run/journal.ts'
import { liftPause, pauseRun, say, stopRun, takeTaskOver } from '../../src/run/steer.ts'
import { thisProcess } from '../../src/system/lock-file.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { begin } from '../report/made-run.ts'

const [older, newer] = ['20261201-090000-aaaa', '20261201-100000-bbbb'] as const

/** Two runs; the one that `live` names is carried on by this process, or by one of another host. */
const project = async (live?: string, host = hostname()) => {
  const folder = await temporaryFolder()
  const loop = loopFolder(folder)
  for (const id of [older, newer]) {
    const run = runFolder(loop, id)
    mkdirSync(run.root, { recursive: true })
    const journal = openJournal(run.events, id)
    journal.append({ ...begin, task: join(folder, 'task.md') }, new Date())
    journal.close()
  }
  if (live !== undefined)
    writeFileSync(loop.lock, JSON.stringify({ ...thisProcess(), host, run: live, since: '' }))
  const inbox = async (id: string) =>
    readInbox(runFolder(loop, id)).map((letter) => ('message' in letter ? letter.message : letter.problem))
  return { folder, loop, inbox }
}

it('speaks to the run that is alive, to the one that is named, else to the newest', async () => {
  const { loop, inbox } = await project(older)
  expect(await say(loop, undefined, 'one')).toMatchObject({ folder: { id: older } })
  await say(loop, newer, 'two')
  expect([await inbox(older), await inbox(newer)]).toEqual([
    [{ type: 'say', text: 'one' }],
    [{ type: 'say', text: 'two' }],
  ])
  const idle = await project()
  expect(await say(idle.loop, undefined, 'three')).toMatchObject({ folder: { id: newer } })
})

it('pauses a run that is alive, and lifts it once', async () => {
  const { loop, inbox } = await project(older)
  expect(await liftPause(loop, undefined, [])).toBe(undefined)
  await pauseRun(loop, undefined)
  await expect(liftPause(loop, undefined, ['max-iterations'])).rejects.toMatchObject({ code: 'E_USAGE' })
  expect(await liftPause(loop, undefined, [])).toMatchObject({ folder: { id: older } })
  expect(await liftPause(loop, undefined, [])).toBe(undefined)
  expect(await inbox(older)).toEqual([{ type: 'pause' }, { type: 'continue' }])
  await expect(pauseRun(loop, newer)).rejects.toMatchObject({ code: 'E_NOT_RUNNING' })
  await expect(pauseRun((await project()).loop, undefined)).rejects.toMatchObject({ code: 'E_NOT_RUNNING' })
})

it('asks a run on another host by a message: its number may be that of anybody here', async () => {
  const { loop, inbox } = await project(newer, 'elsewhere')
  await expect(stopRun(loop, older)).rejects.toMatchObject({ code: 'E_NOT_RUNNING' })
  expect(await stopRun(loop, undefined)).toMatchObject({ run: newer, host: 'elsewhere' })
  expect(await inbox(newer)).toEqual([{ type: 'stop' }])
})

it('takes over the prompt of the task file, and refuses one that is no task', async () => {
  const { loop, inbox, folder } = await project(newer)
  await expect(takeTaskOver(loop, undefined)).rejects.toMatchObject({ code: 'E_TASK_MISSING', exit: 2 })
  writeFileSync(join(folder, 'task.md'), '---\nmax-iterations: 3\n---\nDo less.\n')
  await takeTaskOver(loop, undefined)
  expect(await inbox(newer)).toEqual([{ type: 'task', prompt: 'Do less.\n' }])
})

it.each(['', ' \n', 'x'.repeat(10_001)])('refuses to say nothing, or too much', async (text) => {
  const { loop, inbox } = await project(newer)
  await expect(say(loop, undefined, text)).rejects.toMatchObject({ code: 'E_USAGE', exit: 2 })
  expect(await inbox(newer)).toEqual([])
})
