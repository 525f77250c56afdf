import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'zx'
import { type Release, root } from './release.ts'

/** Writes what npm knows of the bundled packages, as CycloneDX; number and time are those of the commit, not of the day. */
export const writeSbom = async ({ folder, version, commit, epoch }: Release): Promise<void> => {
  const { stdout } = await $({ cwd: root, quiet: true })`npm sbom --sbom-format cyclonedx --omit dev`
  const bill = JSON.parse(stdout)
  const uuid = createHash('sha256').update(commit).digest('hex').slice(0, 32)
  bill.serialNumber = `urn:uuid:${uuid.replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-5$3-8$4-$5')}`
  bill.metadata.timestamp = new Date(epoch * 1000).toISOString()
  await writeFile(join(folder, `yoke-${version}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`)
}
