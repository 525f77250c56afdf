import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { bundledPackages } from '../../src/licenses.ts'
import { entryOf } from './changelog.ts'
import { commitOfTag, type Release, root, uncommitted } from './release.ts'

/** Licences under which code may be passed on in a binary with no more than their text. */
export const permissive: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
])

/** Throws with the first thing that is not as a release wants it; what takes no time is looked at before each start. */
export const requireReleasable = async ({ version, commit }: Release): Promise<void> => {
  const [file, ...more] = await uncommitted()
  if (file !== undefined)
    throw new Error(
      `a release is made of commits only: commit or remove ${file}${more.length === 0 ? '' : ` and ${more.length} more`}`,
    )
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) throw new Error(`${version} is no semantic version`)
  const { version: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  if (locked !== version)
    throw new Error(`package-lock.json is of ${locked}, package.json of ${version}: run npm install`)
  const tagged = await commitOfTag(version)
  if (tagged !== undefined && tagged !== commit)
    throw new Error(`v${version} is tagged already, at another commit: raise the version in package.json`)
  if (entryOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version) === undefined)
    throw new Error(`CHANGELOG.md has no entry for ${version}: give it a heading "## ${version} (DATE)"`)
  for (const { name, license, text } of bundledPackages()) {
    if (!permissive.has(license))
      throw new Error(`${name} is under ${license}: look whether it may be bundled`)
    if (text === '') throw new Error(`${name} has no licence text`)
  }
}

/** Lint, tests and vectors, with what they print. */
export const test = async (): Promise<void> => {
  for (const command of ['npm run lint', 'npm test', 'dist/yoke vectors']) {
    const { exitCode } = await $({ cwd: root, stdio: 'inherit', nothrow: true })`${command.split(' ')}`
    if (exitCode !== 0) throw new Error(`${command} ended with exit code ${exitCode}`)
  }
}
