import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { entryOf } from './changelog.ts'
import { type Release, root } from './release.ts'

/** Writes the CHANGELOG entry of this version, with how to install it where the address is known. */
export const writeNotes = async ({ folder, version, url }: Release): Promise<void> => {
  const entry = entryOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (entry === undefined) throw new Error(`CHANGELOG.md has no entry for ${version}`)
  const install = url === undefined ? '' : `\n## Install\n\n    curl -fsSL ${url}/install.sh | sh\n`
  await writeFile(join(folder, 'RELEASE-NOTES.md'), `${entry}\n${install}`)
}
