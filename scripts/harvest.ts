// Makes src/drift/schemas/claude from real releases of Claude Code. Usage:
//   npx bun scripts/harvest.ts --versions 1.0.9,2.1.300..2.1.310,newest:15 [--again] [--only-captured]
// Each release is installed from npm, plays the rehearsal against a model server on loopback, and is removed; what it wrote
// stays under .cache/harvest, so that a second start goes on where the first one ended. `--again` plays it anew.
// The releases are added to those that the schemas already tell of.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { argv } from 'zx'
import { formatsOf, notesOf } from '../src/drift/merge.ts'
import { capture, forget } from './harvest/capture.ts'
import { notesOfCapture } from './harvest/notes.ts'
import { chosenReleases, publishedReleases } from './harvest/releases.ts'
import { readFormats, writeFormats } from './harvest/write.ts'

const cache = join(import.meta.dirname, '..', '.cache', 'harvest')
const releases = join(cache, 'releases')
const captures = join(cache, 'captures')
process.env['npm_config_cache'] = join(cache, 'npm')

const play = async (version: string): Promise<void> => {
  const began = Date.now()
  try {
    await capture(version, releases, join(captures, version))
    console.log(`${version} ${((Date.now() - began) / 1000).toFixed(1)} s`)
  } catch (error) {
    console.log(`${version} ${error instanceof Error ? error.message : error}`)
  } finally {
    await forget(version, releases)
    await rm(join(cache, 'npm'), { recursive: true, force: true })
  }
}

const isCaptured = (version: string) => existsSync(join(captures, version, 'rehearsal.json'))

const chosen = chosenReleases(String(argv['versions'] ?? ''), await publishedReleases())
for (const version of chosen)
  if (argv['only-captured'] !== true && (argv['again'] === true || !isCaptured(version))) await play(version)

const taken = chosen.filter(isCaptured)
const fresh = await Promise.all(taken.map((version) => notesOfCapture(version, join(captures, version))))
const others = notesOf(await readFormats()).filter(({ version }) => !taken.includes(version))
const formats = formatsOf([...others, ...fresh])
await writeFormats(formats)
console.log(`${formats.flatMap((format) => format.releases).length} releases, ${formats.length} formats`)
for (const { unverified } of formats)
  for (const [version, faults] of Object.entries(unverified)) console.log(`${version}: ${faults.join(' ')}`)
