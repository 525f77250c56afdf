import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { brokenRelease } from '../../../src/agents/opencode/release.ts'
import { isKnownToFail } from '../../../src/doctor/probe.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const env = { PATH: '/usr/bin:/bin' }
const sentence = (version: string) =>
  `OpenCode ${version} mostly ends before it has reported its last answer: no run can work with it.`

/** A program that names a release, by itself or by the package that it is in. */
const program = async (version: string, packaged?: string): Promise<string> => {
  const root = await temporaryFolder()
  await mkdir(join(root, 'bin'))
  const file = join(root, 'bin', 'opencode.exe')
  await writeFile(file, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  if (packaged !== undefined)
    await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'opencode-ai', version: packaged }))
  const link = join(root, 'opencode')
  await symlink(file, link)
  return link
}

it.each([
  ['1.14.41', undefined],
  ['1.15.0', sentence('1.15.0')],
  ['1.15.13', sentence('1.15.13')],
  ['1.15.14', undefined],
  ['1.18.33', undefined],
  ['no number', undefined],
])('says of OpenCode %s whether a run can work with it', async (version, expected) => {
  expect(await brokenRelease(await program(version), env)).toBe(expected)
})

it('believes the package that OpenCode is in', async () => {
  expect(await brokenRelease(await program('1.18.33', '1.15.4'), env)).toBe(sentence('1.15.4'))
  expect(await brokenRelease(await program('1.15.4', '1.18.33'), env)).toBeUndefined()
})

it('is learnt from no release that is known to lose something', async () => {
  expect(await isKnownToFail('opencode', '1.15.13')).toBe(true)
  expect(await isKnownToFail('opencode', '1.15.7')).toBe(true)
  expect(await isKnownToFail('opencode', '1.18.33')).toBe(false)
  expect(await isKnownToFail('opencode', '99.0.0')).toBe(false)
})
