// Makes src/drift/schemas/claude from real releases of Claude Code. Usage:
//   npx bun scripts/harvest.ts --versions 1.0.9,2.1.300..2.1.310,newest:15 [--again]
// Each release is installed from npm, plays the rehearsal against a model server on loopback, and is removed; what it wrote
// stays under .cache/harvest, so that a second start goes on where the first one ended. `--again` plays it anew.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { argv } from 'zx'
import { capture, forget } from './harvest/capture.ts'
import { chosenReleases, publishedReleases } from './harvest/releases.ts'

const cache = join(import.meta.dirname, '..', '.cache', 'harvest')
const releases = join(cache, 'releases')
process.env['npm_config_cache'] = join(cache, 'npm')

const chosen = chosenReleases(String(argv['versions'] ?? ''), await publishedReleases())
for (const [index, version] of chosen.entries()) {
  const folder = join(cache, 'captures', version)
  if (existsSync(folder) && argv['again'] !== true) continue
  const began = Date.now()
  try {
    await capture(version, releases, folder)
    console.log(`${index + 1}/${chosen.length} ${version} ${((Date.now() - began) / 1000).toFixed(1)} s`)
  } catch (error) {
    console.log(`${index + 1}/${chosen.length} ${version} ${error instanceof Error ? error.message : error}`)
  } finally {
    await forget(version, releases)
    await rm(join(cache, 'npm'), { recursive: true, force: true })
  }
}
