// Makes a release in dist/release/VERSION: binaries, archives, npm packages, checksums, bill of materials, notes. Usage:
//   npx bun scripts/release.ts [--dry-run] [--from STEP] [--url URL] [--publish tag,upload,npm]
// A release that was stopped goes on with the step that failed; `--from` names another one. Nothing is published unless
// `--publish` names it: the tag, the files (to a GitHub release, by `gh`), the npm packages.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { argv, chalk } from 'zx'
import { buildAll } from './release/build.ts'
import { check } from './release/check.ts'
import { writeNotes } from './release/notes.ts'
import { packNpm } from './release/npm.ts'
import { pack } from './release/pack.ts'
import { publish, publishable } from './release/publish.ts'
import { type Release, thisRelease } from './release/release.ts'
import { writeSbom } from './release/sbom.ts'
import { smokeTest } from './release/smoke.ts'
import { writeSums } from './release/sums.ts'

type Step = {
  readonly name: string
  readonly what: string
  readonly run: (release: Release) => Promise<void>
}

const steps: readonly Step[] = [
  { name: 'check', what: 'clean tree, version, CHANGELOG entry, licences, lint, tests, vectors', run: check },
  { name: 'build', what: 'every target, and this one twice: the bytes must be equal', run: buildAll },
  { name: 'smoke', what: 'start every binary that can run here', run: smokeTest },
  { name: 'pack', what: 'an archive a target, and the install scripts', run: pack },
  { name: 'npm', what: 'the npm packages, checked by publint and are-the-types-wrong', run: packNpm },
  { name: 'sbom', what: 'a bill of materials (CycloneDX)', run: writeSbom },
  { name: 'notes', what: 'the release notes, from the CHANGELOG', run: writeNotes },
  { name: 'sums', what: 'SHA256SUMS over all of it', run: writeSums },
]

const wanted = String(argv['publish'] ?? '')
  .split(',')
  .filter((name) => name !== '')
const unknown = wanted.find((name) => !(name in publishable))
if (unknown !== undefined)
  throw new Error(`--publish ${unknown}: name any of ${Object.keys(publishable).join(', ')}`)

const release = await thisRelease(argv['url'] === undefined ? undefined : String(argv['url']))
const doneFile = join(release.folder, '.done.json')

/** The steps that this commit has behind it. */
const stepsDone = async (): Promise<readonly string[]> => {
  if (!existsSync(doneFile)) return []
  const { commit, done } = JSON.parse(await readFile(doneFile, 'utf8'))
  return commit === release.commit ? done : []
}

const from = argv['from'] === undefined ? undefined : steps.findIndex(({ name }) => name === argv['from'])
if (from === -1) throw new Error(`--from: name one of ${steps.map(({ name }) => name).join(', ')}`)
const before = from === undefined ? await stepsDone() : steps.slice(0, from).map(({ name }) => name)

console.log(
  chalk.bold(`yoke ${release.version}, commit ${release.commit.slice(0, 12)}, into ${release.folder}`),
)
if (argv['dry-run'] === true) {
  for (const { name, what } of steps)
    console.log(`${before.includes(name) ? 'done ' : 'would'} ${name}: ${what}`)
  for (const name of wanted) console.log(`would publish ${name}`)
} else {
  if (before.length === 0) await rm(release.folder, { recursive: true, force: true })
  await mkdir(release.folder, { recursive: true })
  const done = [...before]
  for (const { name, what, run } of steps) {
    if (done.includes(name)) continue
    console.log(chalk.bold(`${name}: ${what}`))
    await run(release)
    done.push(name)
    await writeFile(doneFile, JSON.stringify({ commit: release.commit, done }))
  }
  for (const name of wanted) await publish(name, release)
}
