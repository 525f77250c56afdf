import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { binaryName, targets } from '../../build.ts'
import { entryOf } from './changelog.ts'
import { archiveName } from './pack.ts'
import { type Release, root } from './release.ts'

/** Writes the CHANGELOG entry of this version, with the sizes, and with how to install it where the address is known. */
export const writeNotes = async (release: Release): Promise<void> => {
  const { folder, version, url } = release
  const entry = entryOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (entry === undefined) throw new Error(`CHANGELOG.md has no entry for ${version}`)
  const install = url === undefined ? '' : `\n## Install\n\n    curl -fsSL ${url}/install.sh | sh\n`
  await writeFile(join(folder, 'RELEASE-NOTES.md'), `${entry}\n${install}\n${await sizes(release)}`)
}

const sizes = async ({ folder, version, binaries }: Release): Promise<string> => {
  const rows = targets.map(async (target) => {
    const archive = archiveName(version, target)
    const [packed, binary] = await Promise.all([
      megabytes(join(folder, archive)),
      megabytes(join(binaries, binaryName(target))),
    ])
    return `| ${archive} | ${packed} | ${binary} |\n`
  })
  const table = (await Promise.all(rows)).join('')
  return `## Files\n\n| Archive | Size | Binary in it |\n| --- | --- | --- |\n${table}`
}

const megabytes = async (file: string): Promise<string> =>
  `${((await stat(file)).size / 1_000_000).toFixed(1)} MB`
