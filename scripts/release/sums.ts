import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Release } from './release.ts'

/** The files of a release that people download. */
export const downloads = async ({ folder }: Release): Promise<readonly string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && entry.name !== 'SHA256SUMS')
    .map(({ name }) => name)
    .sort()

const sumsOf = async (release: Release): Promise<string> => {
  const lines: string[] = []
  for (const name of await downloads(release)) {
    const bytes = await readFile(join(release.folder, name))
    lines.push(`${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
  }
  return lines.join('')
}

/** Writes `SHA256SUMS` as `sha256sum --check` reads it. */
export const writeSums = async (release: Release): Promise<void> =>
  writeFile(join(release.folder, 'SHA256SUMS'), await sumsOf(release))

/** Throws when the files are not those that were made. */
export const requireSums = async (release: Release): Promise<void> => {
  const written = await readFile(join(release.folder, 'SHA256SUMS'), 'utf8')
  if (written !== (await sumsOf(release)))
    throw new Error(`files in ${release.folder} differ from SHA256SUMS: make them again with --from pack`)
}
