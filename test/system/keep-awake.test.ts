import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { keepAwake } from '../../src/system/keep-awake.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const until = async (condition: () => boolean): Promise<void> => {
  for (let n = 0; n < 200 && !condition(); n++) await sleep(20)
  expect(condition()).toBe(true)
}

/** A stand-in for the system's inhibitor: a test machine has no session to hold. */
const inhibitor = async (script: string) => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'systemd-inhibit'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { folder, env: { PATH: `${folder}:/usr/bin:/bin` } }
}

it('holds the sleep off until it is given back', async () => {
  const { folder, env } = await inhibitor(
    'cd "$(dirname "$0")"; echo "$@" > began; for last; do :; done; "$last"; touch ended',
  )
  const release = keepAwake(env, 'linux')
  await until(() => existsSync(join(folder, 'began')))
  await sleep(100)
  expect(existsSync(join(folder, 'ended'))).toBe(false)
  release()
  await until(() => existsSync(join(folder, 'ended')))
})

it.each([
  ['is not there', async () => ({ PATH: '/nowhere' })],
  ['refuses', async () => (await inhibitor('exit 1')).env],
])('stops nothing when the system %s', async (_what, make) => {
  const release = keepAwake(await make(), 'linux')
  await sleep(100)
  release()
})

it('does nothing on a system that has none', () => {
  keepAwake({}, 'aix')()
})
