import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { thisHost } from '../../src/run/lock.ts'
import { lockText, type ProcessName } from '../../src/system/lock-file.ts'

const run = '20261203-054701-03bb'

/** Makes it look as if a yoke carried on a run in the project, whose worker has gone from one of the sessions to the next. */
export const holdProject = async (
  project: string,
  holder: ProcessName,
  sessions: readonly string[],
): Promise<string> => {
  const at = '2026-12-03T05:47:01.000Z'
  const loop = join(project, '.loop')
  await mkdir(join(loop, 'runs', run), { recursive: true })
  const events = sessions.map((session) => ({ type: 'session.opened', at, run, role: 'worker', session }))
  await writeFile(
    join(loop, 'runs', run, 'events.jsonl'),
    events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  )
  const lock = { ...holder, host: thisHost, run, since: at }
  await writeFile(join(loop, 'lock'), lockText(lock))
  return run
}
