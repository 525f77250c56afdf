import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { bundledPackages } from '../../src/licenses.ts'
import { entryOf } from './changelog.ts'
import { type Release, root, uncommitted } from './release.ts'

/** Licences under which code may be passed on in a binary with no more than their text. */
const permissive = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD'])

/** Throws with the first thing that is not as a release wants it. */
export const check = async ({ version }: Release): Promise<void> => {
  const changed = await uncommitted()
  if (changed !== '') throw new Error(`commit or remove first:\n${changed}`)
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) throw new Error(`${version} is no semantic version`)
  const tags = (await $({ cwd: root, quiet: true })`git tag --list ${`v${version}`}`).stdout.trim()
  if (tags !== '') throw new Error(`v${version} is tagged already: raise the version in package.json`)
  if (entryOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version) === undefined)
    throw new Error(`CHANGELOG.md has no entry for ${version}: give it a heading "## ${version} (DATE)"`)
  for (const { name, license, text } of bundledPackages()) {
    if (!permissive.has(license))
      throw new Error(`${name} is under ${license}: look whether it may be bundled`)
    if (text === '') throw new Error(`${name} has no licence text`)
  }
  await $({ cwd: root, stdio: 'inherit' })`npm run lint`
  await $({ cwd: root, stdio: 'inherit' })`npm test`
  await $({ cwd: root, stdio: 'inherit' })`dist/yoke vectors`
}
