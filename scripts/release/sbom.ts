import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundledPackages } from '../../src/licenses.ts'
import { runtimePackage } from '../../src/runtime-package.ts'
import { type Release, root } from './release.ts'

/**
 * Writes what is in the binary, as CycloneDX. `npm sbom --omit dev` leaves out packages that a development dependency needs as
 * well. Number and time are those of the commit, not of the day.
 */
export const writeSbom = async ({ folder, version, commit, epoch }: Release): Promise<void> => {
  const uuid = createHash('sha256').update(commit).digest('hex').slice(0, 32)
  const { description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const integrity = integrityOf()
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuid.replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-5$3-8$4-$5')}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: { type: 'application', ...componentOf({ name: 'yoke', version, license }), description },
    },
    components: [...bundledPackages(), runtimePackage(Bun.version)].map((each) => ({
      type: each.name === 'bun' ? 'platform' : 'library',
      ...componentOf(each),
      ...hashes(integrity(each)),
    })),
  }
  await writeFile(join(folder, `yoke-${version}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`)
}

type Named = { readonly name: string; readonly version: string; readonly license: string }

const componentOf = ({ name, version, license }: Named) => ({
  'bom-ref': `${name}@${version}`,
  name,
  version,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  licenses: [{ license: { id: license } }],
})

/** What npm compares a download with, by the lock file. */
const integrityOf = (): ((each: Named) => string | undefined) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const entries: readonly [string, { readonly version?: string; readonly integrity?: string }][] =
    Object.entries(packages)
  return ({ name, version }) =>
    entries.find(([path, entry]) => path.endsWith(`node_modules/${name}`) && entry.version === version)?.[1]
      .integrity
}

const hashes = (integrity: string | undefined) => {
  const sum = /^sha512-(.+)$/.exec(integrity ?? '')?.[1]
  return sum === undefined
    ? {}
    : { hashes: [{ alg: 'SHA-512', content: Buffer.from(sum, 'base64').toString('hex') }] }
}
