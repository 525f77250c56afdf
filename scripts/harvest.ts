// Makes src/drift/schemas/<agent> from real releases of an agent. Usage:
//   npx bun scripts/harvest.ts [--agent claude] --versions 1.0.9,2.1.300..2.1.310,newest:15 [--again] [--only-captured]
// Each release is installed from npm, plays the rehearsal against a model server on loopback, and is removed; what it wrote
// stays under .cache/harvest, so that a second start goes on where the first one ended. `--again` plays it anew.
// The releases are added to those that the schemas already tell of.
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { argv } from 'zx'
import { formatsOf, notesOf } from '../src/drift/merge.ts'
import { releaseFolder } from '../src/probe/pinned-cli.ts'
import { claude } from './harvest/claude.ts'
import type { Harvester } from './harvest/harvester.ts'
import { opencode } from './harvest/opencode.ts'
import { chosenReleases, publishedReleases } from './harvest/releases.ts'
import { readFormats, writeFormats } from './harvest/write.ts'

const harvesters: Readonly<Record<string, Harvester>> = { claude, opencode }
const harvester = harvesters[String(argv['agent'] ?? 'claude')]
if (harvester === undefined) throw new Error(`--agent is one of ${Object.keys(harvesters).join(', ')}`)
const { agent } = harvester

const cache = join(import.meta.dirname, '..', '.cache', 'harvest')
const releases = join(cache, 'releases')
const captures = join(cache, 'captures', agent)
const npmCache = join(cache, 'npm', agent)
process.env['npm_config_cache'] = npmCache

/** Installs it, plays it, and removes it: old releases are some 50 MB each, new ones 400 MB. One that fails is told and passed over. */
const play = async (version: string): Promise<void> => {
  const began = Date.now()
  const folder = join(captures, version)
  try {
    await harvester.capture(version, releases, folder)
    console.log(`${version} ${((Date.now() - began) / 1000).toFixed(1)} s`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'failed.txt'), `${reason}\n`)
    console.log(`${version} failed: ${reason}`)
  } finally {
    await rm(releaseFolder(agent, version, releases), { recursive: true, force: true })
    await rm(npmCache, { recursive: true, force: true })
  }
}

const isCaptured = (version: string) => existsSync(join(captures, version, harvester.lastFile))

const chosen = chosenReleases(String(argv['versions'] ?? ''), await publishedReleases(harvester.package))
for (const version of chosen)
  if (argv['only-captured'] !== true && (argv['again'] === true || !isCaptured(version))) await play(version)

const taken = chosen.filter(isCaptured)
const fresh = await Promise.all(taken.map((version) => harvester.notes(version, join(captures, version))))
const others = notesOf(await readFormats(agent)).filter(({ version }) => !taken.includes(version))
const formats = formatsOf(agent, [...others, ...fresh])
await writeFormats(agent, formats)
console.log(`${formats.flatMap((format) => format.releases).length} releases, ${formats.length} formats`)
for (const { unverified } of formats)
  for (const [version, faults] of Object.entries(unverified)) console.log(`${version}: ${faults.join(' ')}`)
